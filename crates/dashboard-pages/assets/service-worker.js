// What an installed dashboard shows while nothing answers: one page. Nothing else is kept.

/** @type {any} Typed as a page's by the compiler. */
const worker = globalThis;

/** Asked for by the language of the page that registered it, so that another language is another worker. */
const language = location.search.slice(1);

worker.addEventListener("install", (/** @type {any} */ event) => {
  const keep = async () => {
    const page = await fetch("/dashboard/offline", { headers: { "Accept-Language": language } });
    if (page.ok) await (await caches.open("offline")).put("/dashboard/offline", page);
    await worker.skipWaiting();
  };
  event.waitUntil(keep());
});

worker.addEventListener("fetch", (/** @type {any} */ event) => {
  if (event.request.mode !== "navigate" || event.request.method !== "GET") return;
  const offline = async () => (await caches.match("/dashboard/offline")) ?? Response.error();
  event.respondWith(fetch(event.request).catch(offline));
});
