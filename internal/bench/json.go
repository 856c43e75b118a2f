package bench

import (
	"encoding/json"
	"io"
)

// The report's JSON form: times in seconds, memory in bytes, names as in the text.
type (
	jsonReport struct {
		Machine  string        `json:"machine"`
		Size     int64         `json:"size"`
		Contests []jsonContest `json:"contests"`
		Figures  []Figure      `json:"figures"`
		Targets  []jsonTarget  `json:"targets"`
	}
	jsonContest struct {
		Name     string        `json:"name"`
		Bytes    int64         `json:"bytes"`
		Programs []jsonProgram `json:"programs"`
	}
	jsonProgram struct {
		Name    string       `json:"name"`
		Args    []string     `json:"args"`
		Result  string       `json:"result,omitempty"`
		Error   string       `json:"error,omitempty"`
		Samples []jsonSample `json:"samples"`
	}
	jsonSample struct {
		Wall    float64 `json:"wall_s"`
		CPU     float64 `json:"cpu_s"`
		PeakRSS int64   `json:"peak_rss"`
		Private int64   `json:"private"`
	}
	jsonTarget struct {
		Row     string  `json:"row"`
		Contest string  `json:"contest,omitempty"`
		Bound   string  `json:"bound"`
		Verdict string  `json:"verdict"`
		Found   float64 `json:"found"`
		Min     float64 `json:"min"`
		Max     float64 `json:"max"`
	}
)

// WriteJSON writes the report as JSON, with all samples.
func (r *Report) WriteJSON(w io.Writer) error {
	out := jsonReport{Machine: r.Machine, Size: r.Size, Figures: r.Figures}
	for _, o := range r.Outcomes {
		c := jsonContest{Name: o.Contest.Name, Bytes: o.Contest.Bytes}
		for _, result := range o.Results {
			c.Programs = append(c.Programs, result.json())
		}
		out.Contests = append(out.Contests, c)
	}
	for _, j := range r.Judgments {
		out.Targets = append(out.Targets, jsonTarget{
			Row: j.Target.Row, Contest: j.Target.Contest, Bound: j.Target.bound(),
			Verdict: j.verdict(),
			Found:   j.Found.Median, Min: j.Found.Min, Max: j.Found.Max,
		})
	}
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	return encoder.Encode(out)
}

func (r Result) json() jsonProgram {
	p := jsonProgram{Name: r.Program.Name, Args: r.Program.Args, Result: r.Digest}
	if r.Err != nil {
		p.Error = r.Err.Error()
	}
	for _, s := range r.Samples {
		p.Samples = append(p.Samples,
			jsonSample{s.Wall.Seconds(), s.CPU.Seconds(), s.PeakRSS, s.Private})
	}
	return p
}
