"use strict";
// Sorting and filtering. Without this script the page shows everything, in the order of its tables.
(() => {
  const words = new Intl.Collator("en", { numeric: true, sensitivity: "base" });
  const chosen = new Map();

  function element(tag, attributes = {}, ...children) {
    const made = Object.assign(document.createElement(tag), attributes);
    made.append(...children);
    return made;
  }

  function keyOf(cell) {
    if (!("key" in cell.dataset)) return cell.textContent.trim();
    return cell.dataset.key === "" ? null : Number(cell.dataset.key);
  }

  function compare(a, b) {
    if (typeof a !== typeof b) return typeof a === "number" ? -1 : 1;
    return typeof a === "number" ? (a > b) - (a < b) : words.compare(a, b);
  }

  class Grid {
    constructor(box) {
      this.box = box;
      this.table = box.querySelector("table");
      this.body = this.table.tBodies[0];
      this.heads = [...this.table.tHead.rows[0].cells];
      this.rows = [...this.body.rows];
      this.search = "";
      this.facets = new Map(
        this.heads.map((head, i) => [head.dataset.facet, i]).filter(([name]) => name),
      );
      this.heads.forEach((head, column) => {
        const button = element("button", { type: "button" }, ...head.childNodes);
        button.addEventListener("click", () => this.sort(column));
        head.append(button);
      });
      this.count = element("p", { className: "count", hidden: true });
      this.count.setAttribute("role", "status");
      if ("long" in box.dataset) this.addSearch();
      box.querySelector(".scroll").after(this.count);
    }

    addSearch() {
      const field = element("input", { type: "search", placeholder: "Filter rows" });
      field.setAttribute("aria-label", "Filter rows");
      field.addEventListener("input", () => {
        this.search = field.value;
        this.filter();
      });
      this.box.querySelector(".scroll").before(field);
    }

    sort(column) {
      const next = { ascending: "descending", descending: null };
      const before = this.heads[column].getAttribute("aria-sort");
      const order = before === null ? "ascending" : next[before];
      for (const head of this.heads) head.removeAttribute("aria-sort");
      if (order === null) return this.body.append(...this.rows);
      this.heads[column].setAttribute("aria-sort", order);
      const sign = order === "ascending" ? 1 : -1;
      const keyed = this.rows.map((row) => [keyOf(row.cells[column]), row]);
      keyed.sort(([a], [b]) => {
        if (a === null || b === null) return (a === null) - (b === null);
        return sign * compare(a, b);
      });
      this.body.append(...keyed.map(([, row]) => row));
    }

    filter() {
      const terms = this.search.toLowerCase().split(/\s+/);
      let shown = 0;
      for (const row of this.rows) {
        const text = row.textContent.toLowerCase();
        const fits = [...this.facets].every(
          ([name, i]) => !chosen.get(name) || row.cells[i].textContent.trim() === chosen.get(name),
        );
        row.hidden = !(fits && terms.every((term) => text.includes(term)));
        shown += !row.hidden;
      }
      this.count.hidden = shown === this.rows.length;
      this.count.textContent = `${shown} of ${this.rows.length} rows`;
    }
  }

  const grids = [...document.querySelectorAll("figure.table")].map((box) => new Grid(box));

  function addFacets() {
    const values = new Map();
    for (const grid of grids.filter((grid) => "long" in grid.box.dataset)) {
      for (const [name, i] of grid.facets) {
        if (!values.has(name)) values.set(name, new Set());
        for (const row of grid.rows) values.get(name).add(row.cells[i].textContent.trim());
      }
    }
    const bar = element("div", { className: "filters" });
    for (const [name, found] of values) {
      if (found.size < 2) continue;
      const options = [...found].map((value) => element("option", { value }, value));
      const select = element("select", {}, element("option", { value: "" }, "all"), ...options);
      select.addEventListener("change", () => {
        chosen.set(name, select.value);
        for (const grid of grids) grid.filter();
      });
      bar.append(element("label", {}, `${name} `, select));
    }
    if (bar.childElementCount) document.querySelector("header").after(bar);
  }

  // Folded parts open when a link leads to them, and stay open when the page is loaded again.
  function keepOpen() {
    const folded = [...document.querySelectorAll("details")];
    const open = () => document.querySelector(`${location.hash || "#_"} > details`)?.setAttribute("open", "");
    addEventListener("hashchange", open);
    open();
    try {
      const before = (sessionStorage.getItem(location.pathname) || "").split(" ");
      for (const each of folded) {
        each.open ||= before.includes(each.id);
        each.addEventListener("toggle", () => {
          const ids = folded.filter((other) => other.open).map((other) => other.id);
          sessionStorage.setItem(location.pathname, ids.join(" "));
        });
      }
    } catch {
      // A browser may forbid to keep anything.
    }
  }

  addFacets();
  keepOpen();
})();
