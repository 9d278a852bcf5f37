// The timeline by keyboard: a cursor that goes from event to event and from row to row.
const cursor = { moment: null, row: rows.findIndex((row) => row.kind !== HEADING) };

function putCursor(i) {
  if (i === null) return;
  cursor.moment = i;
  cursor.row = rowOf[MOMENTS.act[i]];
  [...byId("rows").children].forEach((row, number) => row.classList.toggle("current", number === cursor.row));
  if (!inView(i)) {
    const half = (view.to - view.from) / 2;
    show(MOMENTS.begin[i] - half, MOMENTS.begin[i] + half);
  }
  revealRow();
  showEvent(i);
  draw();
}

// Many ranks have more rows than the chart shows at once.
function revealRow() {
  const chart = plot.parentElement;
  const top = cursor.row * ROW;
  if (top < chart.scrollTop) chart.scrollTop = top;
  else if (top + 2 * ROW > chart.scrollTop + chart.clientHeight)
    chart.scrollTop = top + 2 * ROW - chart.clientHeight;
}

// To the next event of the row that the filters let through, also outside of what is shown.
function go(by) {
  const fitting = ACTS.map(fits);
  const stands = (i) => rowOf[MOMENTS.act[i]] === cursor.row && fitting[MOMENTS.act[i]];
  const start = cursor.moment ?? (by > 0 ? -1 : MOMENTS.length);
  for (let i = start + by; i >= 0 && i < MOMENTS.length; i += by) {
    if (stands(i)) return putCursor(i);
  }
}

function goToEnd(by) {
  cursor.moment = by > 0 ? -1 : MOMENTS.length;
  go(by);
}

function changeRow(by) {
  const middle = cursor.moment === null ? view.from : MOMENTS.begin[cursor.moment];
  for (let row = cursor.row + by; row >= 0 && row < rows.length; row += by) {
    const found = nearest(row, middle);
    if (found !== null) return putCursor(found);
  }
}

function startKeys(zoom) {
  const actions = {
    ArrowRight: () => go(1),
    ArrowLeft: () => go(-1),
    ArrowUp: () => changeRow(-1),
    ArrowDown: () => changeRow(1),
    Home: () => goToEnd(1),
    End: () => goToEnd(-1),
    "+": () => zoom(0.5),
    "=": () => zoom(0.5),
    "-": () => zoom(2),
    Escape: () => show(...EXTENT),
    Enter: () => cursor.moment !== null && openPlace(PLACES[ACTS[MOMENTS.act[cursor.moment]].place]),
  };
  plot.addEventListener("keydown", (event) => {
    const action = event.ctrlKey || event.metaKey || event.altKey ? undefined : actions[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  });
  plot.addEventListener("focus", () => cursor.moment === null && goToEnd(1));
}
