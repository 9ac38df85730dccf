// The page at the root leads to the reader's first language that the site speaks; to English where there is none.

const wanted = (navigator.languages ?? [navigator.language]).map((tag) => tag.slice(0, 2).toLowerCase());
const chinese = wanted.find((tag) => tag === "zh" || tag === "en") === "zh";
window.location.replace((chinese ? "zh-cn" : "en") + "/index.html" + window.location.search + window.location.hash);

export {};
