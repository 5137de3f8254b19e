// Verifies the whole log of a board with golang.org/x/mod/sumdb only: once, and after each of some growths.
package main

import (
	"encoding/binary"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

func get(url string) []byte {
	r, err := http.Get(url)
	check(err)
	defer r.Body.Close()
	if r.StatusCode != 200 {
		check(fmt.Errorf("%s: %s", url, r.Status))
	}
	b, err := io.ReadAll(r.Body)
	check(err)
	return b
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

type reader struct{ base string }

func path(t tlog.Tile) string {
	p := t.Path() // tile/8/L/N...
	return strings.Replace(p, "tile/8/", "tile/", 1)
}
func (r reader) Height() int { return 8 }
func (r reader) ReadTiles(tiles []tlog.Tile) (data [][]byte, err error) {
	for _, t := range tiles {
		data = append(data, get(r.base+"/log/"+path(t)))
	}
	return data, nil
}
func (r reader) SaveTiles([]tlog.Tile, [][]byte) {}

func main() {
	base, key := os.Args[1], os.Args[2]
	growths, err := strconv.Atoi(os.Args[3])
	check(err)
	v, err := note.NewVerifier(key)
	check(err)
	var last tlog.Tree
	for grown := -1; grown < growths; {
		n, err := note.Open(get(base+"/log/checkpoint"), note.VerifierList(v))
		check(err)
		lines := strings.Split(n.Text, "\n")
		var tree tlog.Tree
		fmt.Sscan(lines[1], &tree.N)
		tree.Hash, err = tlog.ParseHash(lines[2])
		check(err)
		if tree == last {
			time.Sleep(20 * time.Millisecond)
			continue
		}
		hashes := tlog.TileHashReader(tree, reader{base})
		for i := int64(0); i < tree.N; {
			w := min(tree.N-i, 256)
			t := tlog.Tile{H: 8, L: 0, N: i / 256, W: int(w)}
			b := get(base + "/log/" + strings.Replace(path(t), "tile/0/", "tile/entries/", 1))
			for ; len(b) > 0; i++ {
				size := binary.BigEndian.Uint16(b)
				leaf := tlog.RecordHash(b[2 : 2+size])
				p, err := tlog.ProveRecord(tree.N, i, hashes)
				check(err)
				check(tlog.CheckRecord(p, tree.N, tree.Hash, i, leaf))
				b = b[2+size:]
			}
		}
		if grown >= 0 {
			p, err := tlog.ProveTree(tree.N, last.N, hashes)
			check(err)
			check(tlog.CheckTree(p, tree.N, tree.Hash, last.N, last.Hash))
		}
		fmt.Println("verified", tree.N)
		last = tree
		grown++
	}
}
