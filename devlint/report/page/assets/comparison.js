// Which rows of a comparison are shown.
const changes = [...document.querySelectorAll("[data-verdict]")];
const texts = changes.map((row) => row.textContent.toLowerCase());

function filterChanges() {
  const words = byId("text").value.trim().toLowerCase().split(/\s+/);
  const on = new Set([...document.querySelectorAll(".chips input:checked")].map((box) => box.value));
  changes.forEach((row, number) => {
    row.hidden = !(on.has(row.dataset.verdict) && words.every((word) => texts[number].includes(word)));
  });
  byId("status").textContent = `${changes.filter((row) => !row.hidden).length} of ${changes.length} rows`;
}

startTheme();
byId("filters").hidden = false;
byId("text").addEventListener("input", filterChanges);
byId("filters").addEventListener("change", filterChanges);
byId("filters").addEventListener("submit", (event) => event.preventDefault());
filterChanges();
document.documentElement.dataset.ready = "yes";
