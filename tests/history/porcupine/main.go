// Judges the votes, the tokens and the acknowledgements of a history with Porcupine: is each linearizable?
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"sort"
	"strings"
	"time"

	"github.com/anishathalye/porcupine"
)

const patience = 60 * time.Second

// A call of the history, as tests/history/record.py writes it.
type call struct {
	Process string
	Does    string
	Sent    map[string]any
	Invoked float64
	Ended   *float64
	Outcome string
	Status  int
	Seen    map[string]any
}

func (c call) sent(name string) int     { return int(c.Sent[name].(float64)) }
func (c call) seen(name string) float64 { v, _ := c.Seen[name].(float64); return v }

// The posts or events that an answer shows.
func (c call) rows(name string) (rows [][]any) {
	found, _ := c.Seen[name].([]any)
	for _, row := range found {
		rows = append(rows, row.([]any))
	}
	return rows
}

// One agent has one vote per post. The state has the vote of each agent plus one, as a digit.
type vote struct {
	agent, value int
	read         bool
}
type counted struct {
	known           bool
	previous, score int
}

func votes() porcupine.Model {
	return porcupine.Model{
		Init: func() any { return "" },
		Step: func(state, input, output any) (bool, any) {
			held, in, out := []byte(state.(string)), input.(vote), output.(counted)
			for len(held) <= in.agent {
				held = append(held, '1')
			}
			before := int(held[in.agent]) - '1'
			if !in.read {
				held[in.agent] = byte('1' + in.value)
			}
			score := 0
			for _, each := range held {
				score += int(each) - '1'
			}
			right := !out.known || out.score == score && (in.read || out.previous == before)
			return right, strings.TrimRight(string(held), "1")
		},
	}
}

// An agent has one token. A rotation replaces it; the same rotation repeats until the replacement is used.
type token struct {
	current, origin int
	used            bool
}
type tokenCall struct{ used, issued int }

func tokens() porcupine.Model {
	return porcupine.Model{
		Init: func() any { return token{origin: -1} },
		Step: func(state, input, output any) (bool, any) {
			held, in, status := state.(token), input.(tokenCall), output.(int)
			if in.issued == 0 {
				works := held.current == in.used
				held.used = held.used || works
				return works == (status == 200), held
			}
			may := held.current == in.used || held.origin == in.used && !held.used
			if status == 401 {
				return !may, held
			}
			if may {
				held = token{current: in.issued, origin: in.used}
			}
			return may || status == 0, held
		},
	}
}

// An event is acknowledged once, at one time; -1 is a time that no answer has shown yet.
type acknowledged struct {
	known, changed bool
	at             float64
}

func acknowledgements() porcupine.Model {
	return porcupine.Model{
		Init: func() any { return 0.0 },
		Step: func(state, input, output any) (bool, any) {
			at, out := state.(float64), output.(acknowledged)
			switch read := input.(bool); {
			case read && out.at == 0:
				return at == 0, at
			case read:
				return at == out.at || at == -1, out.at
			case !out.known && at == 0:
				return true, -1.0
			case !out.known:
				return true, at
			case at == 0:
				return out.changed, out.at
			default:
				return !out.changed && (at == out.at || at == -1), out.at
			}
		},
	}
}

type key struct{ model, of string }

// The operations of a history by what they concern: a post, an agent, or an event of an agent. Every answer that shows
// a score or a mark is a read.
func operations(calls []call) map[key][]porcupine.Operation {
	found, agents, lost := map[key][]porcupine.Operation{}, map[string]int{}, map[string]bool{}
	for _, c := range calls {
		if _, known := agents[c.Process]; !known {
			agents[c.Process] = len(agents)
		}
		known := c.Outcome == "ok"
		done := known || c.Outcome == "unknown"
		add := func(model string, of string, input, output any) {
			end := int64(math.MaxInt64)
			if c.Ended != nil && c.Outcome != "unknown" {
				end = int64(*c.Ended * 1e9)
			}
			at := key{model, of}
			found[at] = append(found[at], porcupine.Operation{
				ClientId: agents[c.Process], Input: input, Output: output, Call: int64(c.Invoked * 1e9), Return: end})
		}
		switch {
		case c.Does == "vote" && done:
			add("votes", fmt.Sprint(c.sent("post")), vote{agent: agents[c.Process], value: c.sent("value")},
				counted{known, int(c.seen("previous")), int(c.seen("score"))})
		case c.Does == "use_token" && (c.Status == 200 || c.Status == 401):
			add("tokens", c.Process, tokenCall{used: c.sent("used")}, c.Status)
		case c.Does == "rotate" && (done || c.Status == 401):
			status := c.Status
			if c.Outcome == "unknown" {
				// Nobody has the token of a lost answer: any further loss with the same token changes nothing.
				if was := fmt.Sprint(c.Process, " ", c.sent("used")); lost[was] {
					break
				} else {
					lost[was], status = true, 0
				}
			}
			add("tokens", c.Process, tokenCall{c.sent("used"), c.sent("issued")}, status)
		case c.Does == "acknowledge" && done:
			changed, _ := c.Seen["changed"].(bool)
			add("acknowledgements", fmt.Sprint(c.Process, " ", c.sent("event")), false,
				acknowledged{known, changed, c.seen("acked_at")})
		}
		if c.Status == 200 {
			for _, post := range c.rows("posts") {
				if score, shown := post[3].(float64); shown && post[2] != nil {
					add("votes", fmt.Sprint(int(post[0].(float64))), vote{read: true}, counted{known: true, score: int(score)})
				}
			}
			for _, event := range c.rows("events") {
				at, _ := event[1].(float64)
				add("acknowledgements", fmt.Sprint(c.Process, " ", int(event[0].(float64))), true, acknowledged{at: at})
			}
		}
	}
	return found
}

func main() {
	file, err := os.Open(os.Args[1])
	check(err)
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<30)
	var calls []call
	for lines.Scan() {
		var c call
		check(json.Unmarshal(lines.Bytes(), &c))
		calls = append(calls, c)
	}
	check(lines.Err())
	models := map[string]porcupine.Model{"votes": votes(), "tokens": tokens(), "acknowledgements": acknowledgements()}
	var wrong []string
	for at, history := range operations(calls) {
		if result := porcupine.CheckOperationsTimeout(models[at.model], history, patience); result != porcupine.Ok {
			wrong = append(wrong, fmt.Sprintf("%s of %s: %s", at.model, at.of, result))
		}
	}
	sort.Strings(wrong)
	for _, line := range wrong {
		fmt.Println(line)
	}
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
}
