package bench

// Figure is one value of the rounds over datasets in memory.
type Figure struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
	Unit  string  `json:"unit"`
}

// Names of the figures of iterative jobs on data in memory: the time of a round in ms, its ratio to
// one of a loop.
const (
	RankRound  = "PageRank: a round"
	RankTimes  = "PageRank: job / loop"
	MeansRound = "k-means: a round"
	MeansTimes = "k-means: job / loop"
	TinyRound  = "tiny round"
)
