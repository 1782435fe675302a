/** What the small program tells us. A server comes with its own message. */
export type Told =
  | { readonly kind: "listening"; readonly port: number }
  | { readonly kind: "ready"; readonly pid: number }
  | { readonly kind: "problem"; readonly text: string };

/**
 * The program itself, as text: it then needs no file that would have to be found, and be readable, where it runs.
 * Its argument has the places. It says when it listens at all of them, and stays until nobody is connected to it.
 */
export const LISTEN_INSIDE = `
const { createServer } = require("node:net");
const tell = (told, server) => new Promise((sent) => process.send(told, server, sent));
const listen = (host, port) => new Promise((resolve, reject) => {
  const server = createServer();
  server.once("error", reject).listen({ host, port, backlog: 511 }, () => resolve(server));
});
process.once("disconnect", () => process.exit());
(async () => {
  for (const { host, port } of JSON.parse(process.argv[1])) {
    const server = await listen(host, port);
    await tell({ kind: "listening", port: server.address().port }, server);
  }
  await tell({ kind: "ready", pid: process.pid });
})().catch(({ message }) => tell({ kind: "problem", text: message }));
`;
