// A page as Markdown: what is worth reading of it, without menus and scripts. Loaded only when a page is there.
import { Readability } from "@mozilla/readability";
import { parseHTML } from "linkedom";
import TurndownService from "turndown";
import { isEasyPage } from "./page-size.ts";
import { plainPage } from "./plain-page.ts";

export interface ReadablePage {
  readonly title: string;
  readonly text: string;
}

/** Less than this is more likely a mistake about what matters than an article. */
const MIN_ARTICLE = 200;

export function readablePage(html: string, url: URL): ReadablePage {
  if (!isEasyPage(html)) return { title: titleOf(html), text: plainPage(html) };
  try {
    return converted(html, url);
  } catch {
    return { title: titleOf(html), text: plainPage(html) }; // a stack that ran over, a page that is none
  }
}

function converted(html: string, url: URL): ReadablePage {
  const { document } = parseHTML(asPage(html));
  for (const link of document.querySelectorAll("a[href]")) absolute(link, "href", url);
  for (const image of document.querySelectorAll("img[src]")) absolute(image, "src", url);
  for (const node of document.querySelectorAll("script, style, noscript, template, svg, iframe")) node.remove();
  const whole = document.body.innerHTML;
  // It takes the document apart, so the whole of it is kept first.
  const article = new Readability(document, { keepClasses: true }).parse();
  const title = (article?.title ?? "").trim() || titleOf(html);
  const isArticle = (article?.textContent ?? "").trim().length >= MIN_ARTICLE;
  return { title, text: toMarkdown(isArticle ? (article?.content ?? whole) : whole) };
}

/** The parser makes no body where the page does not write one out. */
function asPage(html: string): string {
  const body = /<body(?:\s[^>]{0,2000})?>/i.exec(html);
  const content = html.slice(body === null ? endOfHead(html) : body.index + body[0].length);
  return `<html><head><title></title></head><body>${content}</body></html>`;
}

function endOfHead(html: string): number {
  const at = html.toLowerCase().indexOf("</head");
  return at < 0 ? 0 : html.indexOf(">", at) + 1;
}

interface Element {
  getAttribute(name: string): string | null;
  setAttribute(name: string, value: string): void;
  removeAttribute(name: string): void;
}

function absolute(element: Element, name: string, base: URL): void {
  const whole = URL.parse(element.getAttribute(name) ?? "", base.href);
  // `javascript:` and `data:` are no places to go to.
  if (whole?.protocol === "http:" || whole?.protocol === "https:") element.setAttribute(name, whole.href);
  else element.removeAttribute(name);
}

const titleOf = (html: string): string =>
  plainPage(/<title[^>]{0,200}>([^<]{0,500})/i.exec(html)?.[1] ?? "").replace(/\s+/g, " ");

function toMarkdown(html: string): string {
  const turndown = new TurndownService({ headingStyle: "atx", codeBlockStyle: "fenced", bulletListMarker: "-" });
  turndown.addRule("table", { filter: "table", replacement: (content, node) => tableOf(node) ?? content });
  return turndown.turndown(html).trim();
}

interface Found {
  readonly textContent: string | null;
  querySelectorAll(selector: string): ArrayLike<Found>;
}

const all = (node: Found, selector: string): Found[] => Array.from(node.querySelectorAll(selector));

/** Rows and columns; undefined for a table that only puts things in their places. */
function tableOf(node: unknown): string | undefined {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the rule is for elements only
  const table = node as Found;
  if (all(table, "table").length > 0) return undefined;
  const rows = all(table, "tr").map((row) => all(row, "th, td").map(cellText));
  const width = Math.max(0, ...rows.map((row) => row.length));
  if (width < 2) return undefined;
  const line = (cells: readonly string[]): string =>
    `| ${Array.from({ length: width }, (_, at) => cells[at] ?? "").join(" | ")} |`;
  const [head = [], ...body] = rows.filter((row) => row.length > 0);
  return `\n\n${[line(head), line(Array.from({ length: width }, () => "---")), ...body.map(line)].join("\n")}\n\n`;
}

const cellText = ({ textContent }: Found): string =>
  (textContent ?? "").split(/\s+/).filter(Boolean).join(" ").replaceAll("|", "\\|");
