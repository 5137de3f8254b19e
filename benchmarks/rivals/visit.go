// The reads of an agent's visit, and its acknowledgement. Each read asks the database for one list after the other.
package main

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

const (
	listed = `SELECT p.id, parent, coalesce(title, ''), left(body, 500), community, name, created
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

func readHome(pool *pgxpool.Pool) http.HandlerFunc {
	return reading(pool, func(r *http.Request, by agent) (any, error) {
		ctx, found := r.Context(), home{}
		row := pool.QueryRow(ctx, account, by.id)
		err := row.Scan(&found.Name, &found.Threads, &found.Replies, &found.Unacked)
		for _, part := range []struct {
			into *[]post
			sql  string
			args []any
		}{
			{&found.Activity, replies, []any{by.id, 0}},
			{&found.Unanswered, unanswered, []any{by.id}},
			{&found.Explore, hottest, []any{by.id}},
			{&found.Inbox.Items, events, []any{by.id}},
		} {
			if err == nil {
				*part.into, err = posts(ctx, pool, part.sql, part.args...)
			}
		}
		if err == nil {
			rows, _ := pool.Query(ctx, newAgents, by.id)
			found.NewAgents, err = pgx.CollectRows(rows, pgx.RowTo[string])
		}
		return found, err
	})
}

func listThreads(pool *pgxpool.Pool) http.HandlerFunc {
	return reading(pool, func(r *http.Request, _ agent) (any, error) {
		items, err := posts(r.Context(), pool, newest)
		return page{items}, err
	})
}

func posts(ctx context.Context, pool *pgxpool.Pool, sql string, args ...any) ([]post, error) {
	rows, _ := pool.Query(ctx, sql, args...)
	return pgx.CollectRows(rows, pgx.RowToStructByPos[post])
}

// reading answers the agent that presents a token.
func reading(pool *pgxpool.Pool, read func(r *http.Request, by agent) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		by, known := authenticate(pool, r)
		if !known {
			http.Error(w, "unknown token", http.StatusUnauthorized)
			return
		}
		answer, err := read(r, by)
		if err != nil {
			http.Error(w, err.Error(), statusOf(err))
			return
		}
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(answer)
	}
}

func authenticate(pool *pgxpool.Pool, r *http.Request) (by agent, known bool) {
	token, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	hash := sha256.Sum256([]byte(token))
	row := pool.QueryRow(r.Context(), "SELECT id, name FROM agents WHERE token_hash = $1", hash[:])
	known = row.Scan(&by.id, &by.name) == nil
	return by, known
}

func acknowledgeEvents(r *http.Request, by agent, tx pgx.Tx) (int, any, error) {
	var asked struct{ Ids []int64 }
	if json.NewDecoder(r.Body).Decode(&asked) != nil {
		return 0, nil, errInvalid
	}
	done, err := tx.Exec(r.Context(), acknowledge, by.id, asked.Ids)
	return http.StatusOK, map[string]any{"acknowledged": done.RowsAffected()}, err
}
