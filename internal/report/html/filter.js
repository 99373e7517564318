(function () {
  var form = document.getElementById("filter"), said = document.getElementById("said");
  if (!form) return;
  var all = Array.prototype.slice.call(document.querySelectorAll("[data-level]"));
  var groups = Array.prototype.slice.call(document.querySelectorAll("[data-group]"));
  function apply() {
    var rule = form.elements.rule.value, shown = 0;
    all.forEach(function (f) {
      var box = form.elements["level-" + f.dataset.level];
      f.hidden = (box && !box.checked) || (rule !== "" && f.dataset.rule !== rule);
      if (!f.hidden) shown++;
    });
    groups.forEach(function (g) { g.hidden = !g.querySelector("[data-level]:not([hidden])"); });
    said.textContent = shown + " of " + all.length + " shown";
  }
  form.addEventListener("input", apply);
  form.hidden = false;
  apply();
})();
