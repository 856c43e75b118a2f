package limit

// Point is a point of the plane, or the sum of N points.
type Point struct{ X, Y, N float64 }

// KMeans runs iterations of Lloyd's algorithm, as a programmer would write it: each goroutine adds
// up a share of the points by their nearest centers, then the sums are merged. A center without
// points stays. It returns the new centers and does not change the given ones.
func KMeans(points, centers []Point, rounds, goroutines int) []Point {
	sums := make([][]Point, goroutines)
	for range rounds {
		parallel(goroutines, func(at int) {
			sum := make([]Point, len(centers))
			for _, p := range points[len(points)*at/goroutines : len(points)*(at+1)/goroutines] {
				s := &sum[Nearest(centers, p)]
				s.X, s.Y, s.N = s.X+p.X, s.Y+p.Y, s.N+p.N
			}
			sums[at] = sum
		})
		next := make([]Point, len(centers))
		for i := range next {
			var all Point
			for _, s := range sums {
				all = Point{all.X + s[i].X, all.Y + s[i].Y, all.N + s[i].N}
			}
			if next[i] = centers[i]; all.N > 0 {
				next[i] = Point{all.X / all.N, all.Y / all.N, 1}
			}
		}
		centers = next
	}
	return centers
}

// Nearest returns the index of the center nearest to p, the first one among equals.
func Nearest(centers []Point, p Point) int {
	best, least := 0, centers[0].from(p)
	for i := 1; i < len(centers); i++ {
		if d := centers[i].from(p); d < least {
			best, least = i, d
		}
	}
	return best
}

// from returns the square of the distance between c and p.
func (c Point) from(p Point) float64 { return (c.X-p.X)*(c.X-p.X) + (c.Y-p.Y)*(c.Y-p.Y) }
