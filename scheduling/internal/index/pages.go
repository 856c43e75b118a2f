package index

// Pages stores values by the number under which they were added, from 0. It grows by pages and
// frees a page once all its values are removed: a thousand values per second that come and go leave
// 8 bytes per second behind.
type Pages[T any] struct {
	pages []*page[T]
	n     int
}

// pageSize is the number of values on a page.
const pageSize = 1024

type page[T any] struct {
	values    [pageSize]*T
	remaining int // not removed, including those not yet added
}

// Len returns the number of values ever added.
func (p *Pages[T]) Len() int { return p.n }

// Add adds a value under the number Len.
func (p *Pages[T]) Add(v *T) {
	if p.n%pageSize == 0 {
		p.pages = append(p.pages, &page[T]{remaining: pageSize})
	}
	p.pages[p.n/pageSize].values[p.n%pageSize] = v
	p.n++
}

// Set stores a value in place of a nil added under number i.
func (p *Pages[T]) Set(i int, v *T) { p.pages[i/pageSize].values[i%pageSize] = v }

// Get returns a value, nil if none was added under the number or it has been removed.
func (p *Pages[T]) Get(i int) *T {
	if i < 0 || i >= p.n || p.pages[i/pageSize] == nil {
		return nil
	}
	return p.pages[i/pageSize].values[i%pageSize]
}

// Remove removes a value that Get finds.
func (p *Pages[T]) Remove(i int) {
	at := p.pages[i/pageSize]
	at.values[i%pageSize] = nil
	if at.remaining--; at.remaining == 0 {
		p.pages[i/pageSize] = nil
	}
}
