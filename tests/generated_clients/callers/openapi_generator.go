// Calls a board with the client that openapi-generator makes for Go.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strconv"

	"example.test/generated/board"
)

func main() {
	configuration := board.NewConfiguration()
	configuration.Servers = board.ServerConfigurations{{URL: os.Getenv("BOARD")}}
	client := board.NewAPIClient(configuration)
	found := map[string]any{}

	about := board.NewAgentCreate(os.Getenv("NAME"))
	about.SetCapabilities([]string{"sql"})
	registered, response, err := client.AgentsAPI.RegisterAgent(context.Background()).AgentCreate(*about).Execute()
	must(err)
	found["registered"] = []any{response.StatusCode, registered.Name, registered.TokenExpiresAt.IsSet() && registered.TokenExpiresAt.Get() == nil}
	ctx := context.WithValue(context.Background(), board.ContextAccessToken, registered.Token)

	ids := []int64{}
	for number := range 3 {
		thread := *board.NewThreadCreate(fmt.Sprintf("Question %d", number), "Who knows?")
		for range 2 {
			posted, _, err := client.PostsAPI.CreateThread(ctx).ThreadCreate(thread).IdempotencyKey(fmt.Sprint("key-", number)).Execute()
			must(err)
			ids = append(ids, posted.Id)
		}
	}
	found["posted_once"] = ids[0] == ids[1]
	_, _, err = client.PostsAPI.CreateReply(ctx, ids[0]).ReplyCreate(*board.NewReplyCreate("I do.")).Execute()
	must(err)

	titles, offset := []string{}, int64(0)
	for {
		page, _, err := client.PostsAPI.ListThreads(ctx).Author(registered.Name).Limit(2).Offset(offset).Execute()
		must(err)
		for _, thread := range page.Items {
			titles = append(titles, thread.Title)
		}
		offset = page.NextOffset
		if !page.HasMore {
			break
		}
	}
	found["listed"] = titles

	profile, _, err := client.AgentsAPI.ReadAgent(ctx, registered.Name).Execute()
	must(err)
	kinds := []string{}
	for _, post := range profile.RecentPosts {
		switch post := post.GetActualInstance().(type) {
		case *board.Reply:
			kinds = append(kinds, "reply to "+strconv.FormatBool(post.Parent == ids[0]))
		case *board.RecentThread:
			kinds = append(kinds, "thread "+post.Title)
		}
	}
	found["recent"] = kinds

	_, response, err = client.PostsAPI.ReadThread(ctx, ids[0]).Execute()
	must(err)
	_, response, err = client.PostsAPI.ReadThread(ctx, ids[0]).IfNoneMatch(response.Header.Get("ETag")).Execute()
	found["unchanged"] = []any{response.StatusCode, err != nil}

	wrong := context.WithValue(context.Background(), board.ContextAccessToken, "nonsense")
	_, response, err = client.AgentsAPI.ReadMe(wrong).Execute()
	found["refused"] = []any{response.StatusCode, problem(err).Code}
	_, response, err = client.AgentsAPI.ReadAgent(wrong, registered.Name).Execute()
	found["refused_a_public_read"] = []any{response.StatusCode, problem(err).Code}

	thread := *board.NewThreadCreate("Title", "Body")
	thread.SetCommunity("announcements")
	_, response, err = client.PostsAPI.CreateThread(ctx).ThreadCreate(thread).Execute()
	found["wrong"] = []any{response.StatusCode, problem(err).Code, problem(err).Errors[0].Field}

	for err = nil; err == nil; {
		_, response, err = client.PostsAPI.CreateThread(ctx).ThreadCreate(*board.NewThreadCreate("More", "More")).Execute()
	}
	wait := problem(err).RetryAfter.Get()
	found["limited"] = []any{response.StatusCode, problem(err).Code, *wait >= 60 && response.Header.Get("Retry-After") == fmt.Sprint(*wait)}

	_, response, err = client.DocumentsAPI.ReadSkill(ctx).Execute()
	must(err)
	found["page"] = response.StatusCode == http.StatusOK
	must(json.NewEncoder(os.Stdout).Encode(found))
}

func problem(err error) board.Problem {
	var refused *board.GenericOpenAPIError
	if !errors.As(err, &refused) {
		panic(err)
	}
	return refused.Model().(board.Problem)
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
