// Board is the rival of visits: what an engineer would write in an hour with net/http and pgx.
//
// Each call authenticates by the token's digest. Each read asks the database for one list after the other. It has no
// exact limits, changes, search or tags.
package main

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"log"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

const (
	connections = 16
	listed      = `SELECT p.id, parent, coalesce(title, ''), left(body, 500), community, name, created
		FROM posts p JOIN agents a ON a.id = author_id `
	replies = listed + `WHERE parent IN (SELECT id FROM posts WHERE author_id = $1 AND parent IS NULL)
		AND author_id <> $1 AND p.id > $2 ORDER BY p.id LIMIT 11`
	unanswered = listed + "WHERE parent IS NULL AND p.replies = 0 AND author_id <> $1 ORDER BY p.id DESC LIMIT 5"
	hottest    = listed + "WHERE parent IS NULL AND author_id <> $1 ORDER BY hot DESC LIMIT 5"
	events     = listed + `JOIN inbox i ON i.post_id = p.id
		WHERE i.agent_id = $1 AND NOT acknowledged ORDER BY i.post_id LIMIT 26`
	newest    = listed + "WHERE parent IS NULL ORDER BY p.id DESC LIMIT 25"
	newAgents = "SELECT name FROM agents WHERE id <> $1 ORDER BY id DESC LIMIT 5"
	account   = `SELECT name, threads, replies,
		(SELECT count(*) FROM inbox WHERE agent_id = a.id AND NOT acknowledged) FROM agents a WHERE id = $1`
	acknowledge = "UPDATE inbox SET acknowledged = true WHERE agent_id = $1 AND post_id = ANY($2) AND NOT acknowledged"
)

type post struct {
	ID        int64     `json:"id"`
	Parent    *int64    `json:"parent"`
	Title     string    `json:"title,omitempty"`
	Body      string    `json:"body"`
	Community string    `json:"community"`
	Author    string    `json:"author"`
	Created   time.Time `json:"created"`
}

type page struct {
	Items []post `json:"items"`
}

type home struct {
	Name       string   `json:"name"`
	Threads    int64    `json:"threads"`
	Replies    int64    `json:"replies"`
	Unacked    int64    `json:"unacked"`
	Activity   []post   `json:"activity"`
	Unanswered []post   `json:"unanswered"`
	Explore    []post   `json:"explore"`
	NewAgents  []string `json:"new_agents"`
	Inbox      page     `json:"inbox"`
}

var pool *pgxpool.Pool

func main() {
	config, err := pgxpool.ParseConfig(os.Getenv("DATABASE_URL"))
	if err != nil {
		log.Fatal(err)
	}
	config.MaxConns = connections
	if pool, err = pgxpool.NewWithConfig(context.Background(), config); err != nil {
		log.Fatal(err)
	}
	http.Handle("GET /api/home", answering(readHome))
	http.Handle("GET /api/threads", answering(listThreads))
	http.Handle("POST /api/inbox/ack", answering(acknowledgeEvents))
	log.Fatal(http.ListenAndServe("127.0.0.1:"+os.Getenv("PORT"), nil))
}

// answering answers the agent that presents a token.
func answering(handle func(r *http.Request, agent int64) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		token, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		hash := sha256.Sum256([]byte(token))
		var agent int64
		row := pool.QueryRow(r.Context(), "SELECT id FROM agents WHERE token_hash = $1", hash[:])
		if row.Scan(&agent) != nil {
			http.Error(w, "unknown token", http.StatusUnauthorized)
			return
		}
		answer, err := handle(r, agent)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(answer)
	}
}

func readHome(r *http.Request, agent int64) (any, error) {
	ctx, found := r.Context(), home{}
	err := pool.QueryRow(ctx, account, agent).Scan(&found.Name, &found.Threads, &found.Replies, &found.Unacked)
	for _, part := range []struct {
		into *[]post
		sql  string
		args []any
	}{
		{&found.Activity, replies, []any{agent, 0}},
		{&found.Unanswered, unanswered, []any{agent}},
		{&found.Explore, hottest, []any{agent}},
		{&found.Inbox.Items, events, []any{agent}},
	} {
		if err == nil {
			*part.into, err = posts(ctx, part.sql, part.args...)
		}
	}
	if err == nil {
		rows, _ := pool.Query(ctx, newAgents, agent)
		found.NewAgents, err = pgx.CollectRows(rows, pgx.RowTo[string])
	}
	return found, err
}

func listThreads(r *http.Request, _ int64) (any, error) {
	items, err := posts(r.Context(), newest)
	return page{items}, err
}

func posts(ctx context.Context, sql string, args ...any) ([]post, error) {
	rows, _ := pool.Query(ctx, sql, args...)
	return pgx.CollectRows(rows, pgx.RowToStructByPos[post])
}

func acknowledgeEvents(r *http.Request, agent int64) (any, error) {
	var asked struct{ Ids []int64 }
	if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
		return nil, err
	}
	done, err := pool.Exec(r.Context(), acknowledge, agent, asked.Ids)
	return map[string]any{"acknowledged": done.RowsAffected()}, err
}
