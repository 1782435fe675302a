import { describe, expect, it } from "vitest";
import { canonicalHost, readAuthority } from "../../../src/confinement/egress/host-names.ts";
import { isLoopback, NetworkRules } from "../../../src/confinement/egress/network-rules.ts";
import type { Network } from "../../../src/schema/index.ts";

const reach = (network: Network, host: string, port = 443) => new NetworkRules(network, []).of(host, port).kind;

describe("the rules of a network", () => {
  it.each<[network: Network, host: string, port: number, kind: string]>([
    [false, "example.com", 443, "refused"],
    [true, "example.com", 443, "allowed"],
    [true, "example.com", 8443, "allowed"],
    [["example.com"], "example.com", 443, "allowed"],
    [["example.com"], "example.com", 80, "allowed"],
    [["example.com"], "example.com", 8443, "refused"],
    [["example.com"], "www.example.com", 443, "refused"],
    [["example.com"], "example.com.evil.test", 443, "refused"],
    [["*.example.com"], "www.example.com", 443, "allowed"],
    [["*.example.com"], "example.com", 443, "refused"],
    [["*.example.com"], "badexample.com", 443, "refused"],
    [["example.com:8443"], "example.com", 8443, "allowed"],
    [["example.com:8443"], "example.com", 443, "refused"],
    [["[2606:4700::1111]:853"], "2606:4700::1111", 853, "allowed"],
    [["2606:4700::1111"], "2606:4700::1111", 443, "allowed"],
    [[], "example.com", 443, "refused"],
  ])("%j has %s, port %i: %s", (network, host, port, kind) => {
    expect(reach(network, host, port)).toBe(kind);
  });

  it("says which hosts there are, and how a port would be opened", () => {
    const rules = new NetworkRules(["a.test", "b.test"], []);
    expect(rules.of("c.test", 443)).toEqual({
      kind: "refused",
      why: "it is not among the hosts of this agent (a.test, b.test)",
    });
    expect(rules.of("a.test", 22)).toMatchObject({ why: expect.stringContaining("a.test:22") });
  });

  it("lets what was added through, with its port and wherever it lies, and nothing beside it", () => {
    const rules = new NetworkRules(false, []);
    rules.add([{ host: "API.Test.", port: 443 }]);
    expect(rules.of("api.test", 443)).toEqual({ kind: "allowed", mayBePrivate: true });
    expect(rules.of("api.test", 80).kind).toBe("refused");
  });

  it("lets only hosts that the user has named lie anywhere", () => {
    const rules = new NetworkRules(true, ["*.corp.test"]);
    expect(rules.of("git.corp.test", 443)).toEqual({ kind: "allowed", mayBePrivate: true });
    expect(rules.of("corp.test", 443)).toEqual({ kind: "allowed", mayBePrivate: false });
  });
});

describe("the spelling of hosts", () => {
  it.each([
    ["Example.COM", "example.com"],
    ["example.com.", "example.com"],
    ["2130706433", "127.0.0.1"],
    ["0x7f.1", "127.0.0.1"],
    ["0177.0.0.1", "127.0.0.1"],
    ["[::FFFF:127.0.0.1]", "::ffff:7f00:1"],
    ["bücher.test", "xn--bcher-kva.test"],
  ])("%s is %s", (text, host) => {
    expect(canonicalHost(text)).toBe(host);
  });

  it.each(["", ".", "a b", "a/b", "user@host", "a#b", "a\\b", "fe80::1%eth0", "a".repeat(300)])(
    "%j is no host",
    (text) => {
      expect(canonicalHost(text)).toBeUndefined();
    },
  );

  it.each(["example.com", "example.com:", "example.com:0", "example.com:70000", ":443", "::1:443", "a:b:443"])(
    "%j is no host with a port",
    (text) => {
      expect(readAuthority(text)).toBeUndefined();
    },
  );

  it("knows this machine by all its names", () => {
    expect(
      ["localhost", "app.localhost", "127.0.0.1", "127.9.9.9", "::1", "[::1]", "2130706433"].every(isLoopback),
    ).toBe(true);
    expect(["localhost.test", "10.0.0.1", "example.com"].some(isLoopback)).toBe(false);
  });
});
