package serve

import (
	"slices"
	"time"

	"github.com/tarry-mr/tarry/actors/serve/api"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/view"
)

// nodeList lists the nodes in order of their numbers.
func (s *Server) nodeList() (list []api.Node, err error) {
	err = s.cluster.Inspect(func(v scheduling.View) {
		for _, n := range v.Nodes() {
			list = append(list, api.Node{
				Name: n.Name, Rack: n.Rack, State: nodeState(&n), Avoided: n.Avoided,
				MapSlots: n.Slots[0], ReduceSlots: n.Slots[1], RunningMaps: n.Running[0], RunningReduces: n.Running[1],
				SeenSeconds: (v.Now() - n.Seen).Seconds(),
			})
		}
	})
	up := s.cluster.Nodes()
	for i := range list {
		n := &list[i]
		if !slices.Contains(up, n.Name) {
			n.State, n.RunningMaps, n.RunningReduces = "down", 0, 0
		} else if _, drains := s.draining.Load(n.Name); drains && n.State == "cordoned" {
			n.State = "draining"
		}
	}
	return list, err
}

func nodeState(n *view.Node) string {
	switch {
	case !n.Live:
		return "down"
	case n.Cordoned:
		return "cordoned"
	}
	return "up"
}

// nodeOf returns the node of that name, or an error if there is none.
func (s *Server) nodeOf(name string) (api.Node, error) {
	list, err := s.nodeList()
	for _, n := range list {
		if n.Name == name {
			return n, nil
		}
	}
	if err == nil {
		err = refuse("not-found", "there is no node %s", name)
	}
	return api.Node{}, err
}

// nodeAction cordons, uncordons, drains, kills or starts a node, as what says.
func (s *Server) nodeAction(name, what string) error {
	if _, err := s.nodeOf(name); err != nil {
		return err
	}
	switch what {
	case "cordon":
		return s.cluster.Cordon(name, true)
	case "uncordon":
		s.draining.Delete(name)
		return s.cluster.Cordon(name, false)
	case "drain":
		return s.drain(name)
	case "kill":
		s.draining.Delete(name)
		return s.cluster.StopNode(name) // not KillNode, of which the JobTracker would hear only at the expiry
	case "start":
		s.draining.Delete(name)
		if err := s.cluster.StartNode(name); err != nil {
			return err
		}
		return s.cluster.Cordon(name, false)
	}
	return refuse("not-found", "a node cannot %s: want cordon, uncordon, drain, kill or start", what)
}

// drainPoll is the interval at which a draining node is checked.
const drainPoll = 100 * time.Millisecond

// drain keeps new tasks from a node and stops it once its tasks have ended.
func (s *Server) drain(name string) error {
	if err := s.cluster.Cordon(name, true); err != nil {
		return err
	}
	if _, already := s.draining.LoadOrStore(name, true); already {
		return nil
	}
	s.work.Go(func() {
		tick := time.NewTicker(drainPoll)
		defer tick.Stop()
		n, err := s.nodeOf(name)
		for ; err == nil && n.State == "draining"; n, err = s.nodeOf(name) {
			if n.RunningMaps+n.RunningReduces == 0 {
				if err := s.cluster.StopNode(name); err != nil {
					s.cfg.Log.Warn("a drained node is not stopped", "node", name, "err", err)
				}
				s.draining.Delete(name)
				return
			}
			select {
			case <-tick.C:
			case <-s.ended.Done():
				return
			}
		}
	})
	return nil
}
