"use strict";
// Search and filter of the list of runs; without a script the list is complete.
const form = document.querySelector("#filters");
if (form) {
  const rows = [...document.querySelectorAll("tbody tr")];
  const [search, judge, count] = ["search", "judge", "count"].map((id) => document.getElementById(id));
  const show = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const row of rows) {
      const fits = words.every((word) => row.dataset.text.includes(word))
        && (!judge.value || row.dataset.judge === judge.value);
      row.hidden = !fits;
      shown += fits;
    }
    count.textContent = `${shown} of ${rows.length} shown`;
  };
  form.hidden = false;
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", show);
  show();
}
