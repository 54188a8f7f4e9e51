import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";

const secret = process.env.WEBHOOK_SECRET ?? "";
const tolerance = 300; // seconds
const seen = new Set();

const server = createServer(async (request, response) => {
  const answer = (status = 204) => response.writeHead(status).end();
  const chunks = [];
  try {
    for await (const chunk of request) chunks.push(chunk);
  } catch {
    return; // the connection was cut: the delivery comes again
  }
  const raw = Buffer.concat(chunks);

  const header = String(request.headers["x-service-signature"] ?? "");
  const parts = header.split(",").map((part) => part.trim().split("=", 2));
  const values = (name = "") => parts.filter((part) => part[0] === name).map((part) => String(part[1]));
  const [t = "", ...others] = values("t");
  if (others.length > 0 || !/^[0-9]{1,12}$/.test(t)) return answer(401);
  const expected = createHmac("sha256", secret).update(`${t}.`).update(raw).digest();
  const genuine = values("v1").some((v1) => {
    const given = Buffer.from(v1, "hex");
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
  if (!genuine || Math.abs(Date.now() / 1000 - Number(t)) > tolerance) return answer(401);

  let event;
  try {
    event = JSON.parse(raw.toString("utf8"));
  } catch {
    return answer(400);
  }
  if (typeof event?.id !== "string") return answer(400);
  const known = seen.has(event.id);
  seen.add(event.id);
  answer(204);
  if (!known) console.log(event.type, event.id);
});

server.listen(Number(process.env.PORT ?? 9000), "127.0.0.1", () => {
  const address = server.address();
  if (address && typeof address === "object") console.log("listening on", address.port);
});
