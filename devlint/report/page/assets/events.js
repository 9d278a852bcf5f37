// The events of the timeline as a table, a hundred at a time, for whoever cannot see it.
const PAGE = 100;
let firstEvent = 0;

function showEvents() {
  if (!byId("events").open) return;
  const rowsShown = [];
  let number = 0;
  for (let i = 0; i < MOMENTS.length; i++) {
    if (!shownActs[MOMENTS.act[i]] || !inView(i)) continue;
    if (number >= firstEvent && number < firstEvent + PAGE) rowsShown.push(eventRow(i));
    number += 1;
  }
  byId("events-rows").replaceChildren(...rowsShown);
  const last = firstEvent + rowsShown.length;
  byId("events-caption").textContent = number
    ? `Events ${whole(firstEvent + 1)} to ${whole(last)} of ${whole(number)}`
    : "No event fits the filters.";
  byId("events-back").disabled = firstEvent === 0;
  byId("events-on").disabled = last >= number;
}

function eventRow(i) {
  const act = ACTS[MOMENTS.act[i]];
  const waited = MOMENTS.waited(i);
  const bytes = MOMENTS.bytes(i);
  const often = MOMENTS.count(i) > 1 ? `, ${times(MOMENTS.count(i))}` : "";
  const operand = act.operand ? ` of ${act.operand}` : "";
  return element("tr", {
    children: [
      element("td", { class: "number", text: TIMED ? when(MOMENTS.begin[i]) : whole(MOMENTS.begin[i] + 1) }),
      element("td", { class: "number", text: whole(MOMENTS.step(i)) }),
      element("td", { text: `${KINDS[act.kind]}: ${act.operator}${operand}${often}` }),
      element("td", { text: LANES[act.lane] }),
      element("td", { children: [link(PLACES[act.place])] }),
      element("td", { class: "number", text: waited === null ? "" : duration(waited / 1e6) }),
      element("td", { class: "number", text: bytes === null ? "" : size(bytes) }),
    ],
  });
}

function startEvents() {
  if (!TIMED) byId("events-when").textContent = "Order";
  byId("events").addEventListener("toggle", showEvents);
  const turn = (by) => {
    firstEvent = Math.max(firstEvent + by, 0);
    showEvents();
  };
  byId("events-back").addEventListener("click", () => turn(-PAGE));
  byId("events-on").addEventListener("click", () => turn(PAGE));
  listeners.push(() => {
    firstEvent = 0;
    showEvents();
  });
}
