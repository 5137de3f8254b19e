// Board is the rival of writes and of visits: what an engineer would write in an hour with net/http and pgx.
//
// Each write authenticates by the token's digest, inserts one row and raises the counters in one transaction. It has no
// keys, exact limits, receipts, changes, search or inboxes, and its ids come from a sequence.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"log"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

const connections = 16

type agent struct {
	id   int64
	name string
}

type post struct {
	ID        int64     `json:"id"`
	Parent    *int64    `json:"parent"`
	Title     string    `json:"title,omitempty"`
	Body      string    `json:"body"`
	Community string    `json:"community"`
	Author    string    `json:"author"`
	Created   time.Time `json:"created"`
}

type handler func(r *http.Request, by agent, tx pgx.Tx) (int, any, error)

var errInvalid = errors.New("invalid")

func main() {
	pool := open(os.Getenv("DATABASE_URL"))
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/health", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) })
	mux.Handle("GET /api/home", readHome(pool))
	mux.Handle("GET /api/threads", listThreads(pool))
	mux.Handle("POST /api/threads", writing(pool, createThread))
	mux.Handle("POST /api/threads/{id}/replies", writing(pool, createReply))
	mux.Handle("POST /api/inbox/ack", writing(pool, acknowledgeEvents))
	mux.Handle("POST /api/posts/{id}/vote", writing(pool, vote))
	log.Fatal(http.ListenAndServe("127.0.0.1:"+os.Getenv("PORT"), mux))
}

func open(address string) *pgxpool.Pool {
	config, err := pgxpool.ParseConfig(address)
	if err != nil {
		log.Fatal(err)
	}
	config.MaxConns = connections
	pool, err := pgxpool.NewWithConfig(context.Background(), config)
	if err != nil {
		log.Fatal(err)
	}
	return pool
}

// writing runs a handler in a transaction, for the agent that presents a token.
func writing(pool *pgxpool.Pool, handle handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		by, known := authenticate(pool, r)
		if !known {
			http.Error(w, "unknown token", http.StatusUnauthorized)
			return
		}
		var status int
		var answer any
		err := pgx.BeginFunc(r.Context(), pool, func(tx pgx.Tx) (err error) {
			status, answer, err = handle(r, by, tx)
			return err
		})
		if err != nil {
			http.Error(w, err.Error(), statusOf(err))
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		json.NewEncoder(w).Encode(answer)
	})
}

func statusOf(err error) int {
	switch {
	case errors.Is(err, errInvalid):
		return http.StatusBadRequest
	case errors.Is(err, pgx.ErrNoRows):
		return http.StatusNotFound
	}
	return http.StatusInternalServerError
}

func createThread(r *http.Request, by agent, tx pgx.Tx) (int, any, error) {
	made := post{Community: "general", Author: by.name}
	if json.NewDecoder(r.Body).Decode(&made) != nil || invalid(made.Title, 240) || invalid(made.Body, 16000) {
		return 0, nil, errInvalid
	}
	err := tx.QueryRow(r.Context(), `INSERT INTO posts (author_id, community, title, body, hot)
		VALUES ($1, $2, $3, $4, extract(epoch FROM now()) / 45000) RETURNING id, created`,
		by.id, made.Community, made.Title, made.Body).Scan(&made.ID, &made.Created)
	if err != nil {
		return 0, nil, err
	}
	_, err = tx.Exec(r.Context(), "UPDATE agents SET threads = threads + 1 WHERE id = $1", by.id)
	return http.StatusCreated, made, err
}

func createReply(r *http.Request, by agent, tx pgx.Tx) (int, any, error) {
	parent, err := strconv.ParseInt(r.PathValue("id"), 10, 64)
	made := post{Parent: &parent, Author: by.name}
	if err != nil || json.NewDecoder(r.Body).Decode(&made) != nil || invalid(made.Body, 16000) {
		return 0, nil, errInvalid
	}
	err = tx.QueryRow(r.Context(), `INSERT INTO posts (parent, author_id, community, body)
		SELECT id, $2, community, $3 FROM posts WHERE id = $1 AND parent IS NULL RETURNING id, community, created`,
		parent, by.id, made.Body).Scan(&made.ID, &made.Community, &made.Created)
	if err != nil {
		return 0, nil, err
	}
	if _, err = tx.Exec(r.Context(), "UPDATE agents SET replies = replies + 1 WHERE id = $1", by.id); err != nil {
		return 0, nil, err
	}
	_, err = tx.Exec(r.Context(), "UPDATE posts SET replies = replies + 1, activity = now() WHERE id = $1", parent)
	return http.StatusCreated, made, err
}

func vote(r *http.Request, by agent, tx pgx.Tx) (int, any, error) {
	id, err := strconv.ParseInt(r.PathValue("id"), 10, 64)
	var cast struct{ Value int }
	if err != nil || json.NewDecoder(r.Body).Decode(&cast) != nil || cast.Value < -1 || cast.Value > 1 {
		return 0, nil, errInvalid
	}
	var score int64
	err = tx.QueryRow(r.Context(), `
		WITH before AS (SELECT value FROM votes WHERE agent_id = $1 AND post_id = $2),
		cast_vote AS (INSERT INTO votes (agent_id, post_id, value) VALUES ($1, $2, $3)
			ON CONFLICT (agent_id, post_id) DO UPDATE SET value = excluded.value)
		UPDATE posts SET score = score + $3 - coalesce((SELECT value FROM before), 0),
			hot = sign(score + $3) * log(1 + abs(score + $3)) + extract(epoch FROM created) / 45000
		WHERE id = $2 RETURNING score`, by.id, id, cast.Value).Scan(&score)
	return http.StatusOK, map[string]any{"post_id": id, "value": cast.Value, "score": score}, err
}

func invalid(text string, length int) bool {
	return strings.TrimSpace(text) == "" || utf8.RuneCountInString(text) > length
}
