/**
 * By which programs find the proxy. Loopback is left out: in there it is the attempt's own, with what its programs
 * serve to each other, and no proxy could reach that.
 */
export function proxyEnvironment(port: number): Record<string, string> {
  const proxy = `http://127.0.0.1:${port}`;
  const none = "localhost,127.0.0.1,::1";
  return {
    HTTP_PROXY: proxy,
    HTTPS_PROXY: proxy,
    ALL_PROXY: proxy,
    NO_PROXY: none,
    http_proxy: proxy,
    https_proxy: proxy,
    all_proxy: proxy,
    no_proxy: none,
    // Node takes no notice of the others by itself.
    NODE_USE_ENV_PROXY: "1",
  };
}
