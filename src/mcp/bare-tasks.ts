import type { Server } from "@modelcontextprotocol/server";

/** The library puts an empty `content` beside a task. A task has none, whatever it is sent through. */
export function sendBareTasks(server: Server): void {
  const connect = server.connect.bind(server);
  server.connect = (transport) => {
    const send = transport.send.bind(transport);
    transport.send = (message, options) => {
      if ("result" in message && message.result["resultType"] === "task") delete message.result["content"];
      return send(message, options);
    };
    return connect(transport);
  };
}
