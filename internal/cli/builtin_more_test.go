package cli

import (
	"cmp"
	"fmt"
	"hash/crc32"
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// cents is a decimal number with two decimals, in hundredths.
func cents(text string) int64 {
	whole, part, _ := strings.Cut(text, ".")
	n, _ := strconv.ParseInt(whole+part, 10, 64)
	return n
}

// decimals writes hundredths without zeros that say nothing.
func decimals(n int64) string {
	return strings.TrimRight(strings.TrimRight(fmt.Sprintf("%d.%02d", n/100, n%100), "0"), ".")
}

// quotient is the float that is nearest to it.
func quotient(sum, n int64) string { return strconv.FormatFloat(float64(sum)/float64(n), 'g', -1, 64) }

// filterJobs read awkwardText, and have no reduces.
func filterJobs() []builtIn {
	return []builtIn{
		{args: []string{"scan", "--percent", "30", "--sample", "5"}, ordered: true, plain: func(f []plainFile) []string {
			return keep(f, func(l string) bool {
				sum := fnv.New64a()
				sum.Write([]byte(l))
				seed := uint64(5)
				z := sum.Sum64() ^ seed*0x9E3779B97F4A7C15
				z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9
				z = (z ^ (z >> 27)) * 0x94D049BB133111EB
				return float64((z^(z>>31))>>11) < 0.3*(1<<53)
			})
		}},
		{args: []string{"hivesearch", "--pattern", "bb"}, ordered: true, plain: func(f []plainFile) []string {
			return keep(f, func(l string) bool { return strings.Contains(l[min(10, len(l)):], "bb") })
		}},
	}
}

// teraText is records of 100 bytes, but for the line feed that ends each.
func teraText(r *rand.Rand, records int) (list []string) {
	for i := range records {
		key := fmt.Sprintf("%s%c%07d", []string{"aa", "aZ", "~~"}[r.IntN(3)], 'a'+r.IntN(2), r.IntN(10)*1000000+i+records)
		list = append(list, key+strings.Repeat(strconv.Itoa(i%10), 89))
	}
	return list
}

func teraJobs() []builtIn {
	return []builtIn{
		{args: []string{"terasort"}, ordered: true, plain: func(f []plainFile) []string { return slices.Sorted(slices.Values(allLines(f))) }},
		{args: []string{"teravalidate", "--any-order"}, ordered: true, plain: func(f []plainFile) []string {
			records, sum, same, down := allLines(f), uint64(0), 0, 0
			for i, rec := range records {
				sum += uint64(crc32.ChecksumIEEE([]byte(rec + "\n")))
				if i > 0 && records[i-1][:10] > rec[:10] {
					down++
				} else if i > 0 && records[i-1][:10] == rec[:10] {
					same++
				}
			}
			return []string{
				fmt.Sprintf("records\t%d", len(records)), fmt.Sprintf("checksum\t%016x", sum),
				fmt.Sprintf("duplicates\t%d", same), fmt.Sprintf("unordered\t%d", down),
			}
		}},
	}
}

func address(r *rand.Rand) string {
	return strings.Repeat("u", []int{1, 15, 16, 33}[r.IntN(4)]) + strconv.Itoa(r.IntN(9))
}

// rankingsText and visitsText are the tables of Hive's benchmark.
func rankingsText(r *rand.Rand, rows int) (list []string) {
	for range rows {
		list = append(list, fmt.Sprintf("%s|%d|%d", address(r), r.IntN(300), r.IntN(9)))
	}
	return list
}

func visitsText(r *rand.Rand, rows int) (list []string) {
	for range rows {
		list = append(list, fmt.Sprintf("10.0.%d.%d|%s|%d-0%d-1%d|%d.%02d|ie|de|de|word|7", r.IntN(3), r.IntN(12), address(r),
			1998+r.IntN(3), 1+r.IntN(9), r.IntN(10), r.IntN(1000), r.IntN(100)))
	}
	return list
}

func tablesText(r *rand.Rand, rows int) []string {
	list := append(rankingsText(r, rows/8), visitsText(r, rows)...)
	r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list
}

func rankingsJobs() []builtIn {
	return []builtIn{{args: []string{"hiveselect", "--above", "250"}, ordered: true, plain: func(f []plainFile) (list []string) {
		for _, l := range allLines(f) {
			c := strings.Split(l, "|")
			if rank, _ := strconv.Atoi(c[1]); rank > 250 {
				list = append(list, c[0]+"\t"+c[1])
			}
		}
		return list
	}}}
}

func visitsJobs() []builtIn {
	sums := func(prefix int) func(f []plainFile) []string {
		return func(f []plainFile) (list []string) {
			of := map[string]int64{}
			for _, l := range allLines(f) {
				c := strings.Split(l, "|")
				of[c[0][:min(prefix, len(c[0]))]] += cents(c[3])
			}
			for client, sum := range of {
				list = append(list, client+"\t"+decimals(sum))
			}
			slices.Sort(list)
			return list
		}
	}
	return []builtIn{
		{args: []string{"hiveaggregate"}, plain: sums(99)},
		{args: []string{"hiveaggregate", "--prefix", "6"}, plain: sums(6)},
	}
}

func tablesJobs() []builtIn {
	type total struct{ revenue, ranks, n int64 }
	plain := func(f []plainFile) (list []string) {
		ranks, of := map[string][]int64{}, map[string]total{}
		for _, l := range allLines(f) {
			if c := strings.Split(l, "|"); len(c) == 3 {
				rank, _ := strconv.ParseInt(c[1], 10, 64)
				ranks[c[0]] = append(ranks[c[0]], rank)
			}
		}
		for _, l := range allLines(f) {
			c := strings.Split(l, "|")
			if len(c) == 3 || c[2] < "1999-02-14" || c[2] >= "2000-03-16" {
				continue
			}
			for _, rank := range ranks[c[1]] {
				t := of[c[0]]
				of[c[0]] = total{t.revenue + cents(c[3]), t.ranks + rank, t.n + 1}
			}
		}
		clients := slices.SortedFunc(maps.Keys(of), func(a, b string) int {
			return cmp.Or(cmp.Compare(of[b].revenue, of[a].revenue), strings.Compare(a, b))
		})
		for _, c := range clients[:30] {
			list = append(list, c+"\t"+decimals(of[c].revenue)+"\t"+quotient(of[c].ranks, of[c].n))
		}
		return list
	}
	return []builtIn{{args: []string{"hivejoin", "--from", "1999-02-14", "--until", "2000-03-16", "-k", "30"}, ordered: true, plain: plain}}
}

// graphText is edges between nodes, some of them several times, and nodes alone.
func graphText(r *rand.Rand, edges int) (list []string) {
	node := func() string {
		return strings.Repeat("n", []int{1, 15, 16, 40}[r.IntN(4)]) + strconv.Itoa(r.IntN(40)) + []string{"", ",", "%"}[r.IntN(3)]
	}
	for i := range max(edges/8, 1) {
		list = append(list, node()+"\t"+node())
		if i%5 == 0 {
			list = append(list, list[r.IntN(len(list))])
		}
	}
	return list
}

// linksOf are the nodes that each leads to, once, in order.
func linksOf(f []plainFile) map[string][]string {
	links := map[string][]string{}
	for _, l := range allLines(f) {
		from, to, _ := strings.Cut(l, "\t")
		links[from] = append(links[from], to)
		slices.Sort(links[from])
		links[from] = slices.Compact(links[from])
		if _, known := links[to]; !known {
			links[to] = nil // a node without links is one, too
		}
	}
	return links
}

func graphJobs() []builtIn {
	const rounds, damping = 3, 0.7
	return []builtIn{
		{args: []string{"adjacency"}, plain: func(f []plainFile) (list []string) {
			escaped := strings.NewReplacer("%", "%25", ",", "%2C")
			for from, to := range linksOf(f) {
				if len(to) > 0 {
					for i := range to {
						to[i] = escaped.Replace(to[i])
					}
					list = append(list, from+"\t"+strings.Join(to, ","))
				}
			}
			slices.Sort(list)
			return list
		}},
		{args: []string{"components"}, ordered: true, plain: func(f []plainFile) (list []string) {
			links, first := linksOf(f), map[string]string{}
			for node := range links {
				first[node] = node
			}
			for moved := true; moved; {
				moved = false
				for from, to := range links {
					for _, node := range to {
						least := min(first[from], first[node])
						moved = moved || first[from] != first[node]
						first[from], first[node] = least, least
					}
				}
			}
			for _, node := range slices.Sorted(maps.Keys(first)) {
				list = append(list, node+"\t"+first[node])
			}
			return list
		}},
		{args: []string{"pagerank", "--rounds", strconv.Itoa(rounds), "--damping", fmt.Sprint(damping)}, ordered: true, within: 1e-9, plain: func(f []plainFile) (list []string) {
			links, rank := linksOf(f), map[string]float64{}
			n := float64(len(links))
			for node := range links {
				rank[node] = 1 / n
			}
			for range rounds {
				next, lost := map[string]float64{}, 0.0
				for node, to := range links {
					for _, other := range to {
						next[other] += damping * rank[node] / float64(len(to))
					}
					if len(to) == 0 {
						lost += rank[node]
					}
				}
				for node := range links {
					next[node] += damping*lost/n + (1-damping)/n
				}
				rank = next
			}
			for _, node := range slices.Sorted(maps.Keys(rank)) {
				list = append(list, node+"\t"+plain(rank[node]))
			}
			return list
		}},
	}
}

// cloudText is points around three places that are far from each other.
func cloudText(r *rand.Rand, points int) (list []string) {
	for range points {
		place := r.IntN(3)
		list = append(list, fmt.Sprintf("%.2f\t%.2f", r.NormFloat64()+float64(100000*(place%2)), r.NormFloat64()-float64(100000*(place/2))))
	}
	return list
}

func cloudJobs() []builtIn {
	return []builtIn{{args: []string{"kmeans", "--clusters", "3"}, within: 1e-12, plain: func(f []plainFile) (list []string) {
		type cloud struct{ x, y, n int64 }
		clouds := map[string]cloud{}
		for _, l := range allLines(f) {
			a, b, _ := strings.Cut(l, "\t")
			x, y := cents(a), cents(b)
			key := fmt.Sprint(x > 5_000_000, y < -5_000_000)
			c := clouds[key]
			clouds[key] = cloud{c.x + x, c.y + y, c.n + 1}
		}
		for _, c := range clouds {
			n := float64(100 * c.n)
			list = append(list, fmt.Sprintf("%s\t%s\t%d", plain(float64(c.x)/n), plain(float64(c.y)/n), c.n))
		}
		slices.Sort(list)
		return list
	}}}
}

// seriesText is keys, times in no order, and numbers.
func seriesText(r *rand.Rand, lines int) (list []string) {
	for i, at := range r.Perm(lines) {
		key := strings.Repeat("k", []int{1, 15, 16, 17, 40}[i%5]) + strconv.Itoa(r.IntN(5))
		list = append(list, fmt.Sprintf("%s\t%d\t%d.%02d", key, 1000*lines+at-lines/2, r.IntN(100), r.IntN(100)))
	}
	return list
}

func seriesJobs() []builtIn {
	return []builtIn{{args: []string{"movingaverage", "--window", "4"}, plain: func(f []plainFile) (list []string) {
		of := map[string][][]string{}
		for _, l := range allLines(f) {
			c := strings.Split(l, "\t")
			of[c[0]] = append(of[c[0]], c)
		}
		for _, rows := range of {
			slices.SortStableFunc(rows, func(a, b []string) int { return cmp.Compare(cents(a[1]), cents(b[1])) })
			for i, c := range rows {
				last, sum := rows[max(0, i-3):i+1], int64(0)
				for _, row := range last {
					sum += cents(row[2])
				}
				list = append(list, c[0]+"\t"+c[1]+"\t"+quotient(sum, int64(100*len(last))))
			}
		}
		slices.Sort(list)
		return list
	}}}
}
