// The scenario language in the playground: a text in which the scheduler's calls stand line by line,
// with what it must answer. It is run as tarry scenario -v does.

import { $ } from "./markup.mjs";

const example = `# Two jobs, one map slot a node: under fifo the long job takes both slots. Try fair.
cluster racks=1 nodes=2 map=1 reduce=0
scheduler fifo
at 0s submit J1 maps=3 reduces=0
at 1s submit J2 maps=1 reduces=0
at 2s heartbeat tt1 => J1.m0
at 2s heartbeat tt2 => J1.m1
at 2s running
`;

/** Makes the scenario's part of the page work; ask asks the module. */
export function scenarios(ask) {
  $("scenario-text").value = example;
  $("scenario-run").onclick = async () => {
    $("scenario-said").textContent = "running…";
    const a = await ask({ op: "scenario", text: $("scenario-text").value });
    $("scenario-out").hidden = false;
    $("scenario-out").textContent = a.error || a.output;
    $("scenario-said").textContent = a.error || a.code ? "It does not do what it says, or cannot be read." : "All is as it says.";
  };
}
