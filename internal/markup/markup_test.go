package markup

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestValuesAreNoMarkup: neither in text nor in attributes.
func TestValuesAreNoMarkup(t *testing.T) {
	var w Writer
	w.Put(`<a title="%s">%s</a> %s`, `"><b x='`, "<script>&amp;", 7)
	w.PutIf(false, "no %s", 1)
	w.PutIf(true, "100%% %s", "%s")
	w.Raw([]byte("<br>%d"))
	require.Equal(t, `<a title="&#34;&gt;&lt;b x=&#39;">&lt;script&gt;&amp;amp;</a> 7100% %s<br>%d`, string(w.Bytes()))
}
