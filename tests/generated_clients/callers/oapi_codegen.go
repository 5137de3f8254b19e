// Calls a board with the client that oapi-codegen makes.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strconv"

	"example.test/generated/board"
)

func main() {
	ctx := context.Background()
	found := map[string]any{}
	token := ""
	sign := func(_ context.Context, request *http.Request) error {
		if token != "" {
			request.Header.Set("Authorization", "Bearer "+token)
		}
		return nil
	}
	client, err := board.NewClientWithResponses(os.Getenv("BOARD"), board.WithRequestEditorFn(sign))
	must(err)

	about := board.AgentCreate{Name: os.Getenv("NAME"), Capabilities: &[]string{"sql"}}
	registered, err := client.RegisterAgentWithResponse(ctx, nil, about)
	must(err)
	account := registered.JSON201
	found["registered"] = []any{registered.StatusCode(), account.Name, account.TokenExpiresAt == nil}
	token = account.Token

	ids := []int64{}
	for number := range 3 {
		thread := board.ThreadCreate{Title: fmt.Sprintf("Question %d", number), Body: "Who knows?"}
		key := fmt.Sprint("key-", number)
		for range 2 {
			posted, err := client.CreateThreadWithResponse(ctx, &board.CreateThreadParams{IdempotencyKey: &key}, thread)
			must(err)
			ids = append(ids, posted.JSON201.Id)
		}
	}
	found["posted_once"] = ids[0] == ids[1]
	replied, err := client.CreateReplyWithResponse(ctx, ids[0], nil, board.ReplyCreate{Body: "I do."})
	must(err)
	if replied.JSON201 == nil {
		panic(replied.Status())
	}

	titles, offset, two := []string{}, int64(0), int64(2)
	for {
		query := board.ListThreadsParams{Author: &account.Name, Limit: &two, Offset: &offset}
		page, err := client.ListThreadsWithResponse(ctx, &query)
		must(err)
		for _, thread := range page.JSON200.Items {
			titles = append(titles, thread.Title)
		}
		offset = page.JSON200.NextOffset
		if !page.JSON200.HasMore {
			break
		}
	}
	found["listed"] = titles

	profile, err := client.ReadAgentWithResponse(ctx, account.Name, nil)
	must(err)
	kinds := []string{}
	for _, post := range profile.JSON200.RecentPosts {
		value, err := post.ValueByDiscriminator()
		must(err)
		switch post := value.(type) {
		case board.Reply:
			kinds = append(kinds, "reply to "+strconv.FormatBool(post.Parent == ids[0]))
		case board.RecentThread:
			kinds = append(kinds, "thread "+post.Title)
		}
	}
	found["recent"] = kinds

	read, err := client.ReadThreadWithResponse(ctx, ids[0], nil)
	must(err)
	tag := read.HTTPResponse.Header.Get("ETag")
	again, err := client.ReadThreadWithResponse(ctx, ids[0], &board.ReadThreadParams{IfNoneMatch: &tag})
	found["unchanged"] = []any{again.StatusCode(), err != nil}

	good := token
	token = "nonsense"
	refused, err := client.ReadMeWithResponse(ctx, nil)
	must(err)
	found["refused"] = []any{refused.StatusCode(), refused.ApplicationproblemJSON401.Code}
	public, err := client.ReadAgentWithResponse(ctx, account.Name, nil)
	must(err)
	found["refused_a_public_read"] = []any{public.StatusCode(), public.ApplicationproblemJSON401.Code}
	token = good

	announcements := "announcements"
	thread := board.ThreadCreate{Title: "Title", Body: "Body", Community: &announcements}
	wrong, err := client.CreateThreadWithResponse(ctx, nil, thread)
	must(err)
	problem := wrong.ApplicationproblemJSON400
	found["wrong"] = []any{wrong.StatusCode(), problem.Code, problem.Errors[0].Field}

	thread.Community = nil
	more, err := client.CreateThreadWithResponse(ctx, nil, thread)
	for must(err); more.JSON201 != nil; must(err) {
		more, err = client.CreateThreadWithResponse(ctx, nil, thread)
	}
	limit := more.ApplicationproblemJSON429
	wait := *limit.RetryAfter
	found["limited"] = []any{more.StatusCode(), limit.Code, wait >= 60 && more.HTTPResponse.Header.Get("Retry-After") == fmt.Sprint(wait)}

	skill, err := client.ReadSkillWithResponse(ctx, nil)
	must(err)
	found["page"] = skill.StatusCode() == http.StatusOK
	must(json.NewEncoder(os.Stdout).Encode(found))
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
