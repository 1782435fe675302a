import pc from "picocolors";
import type { TaskStatus } from "../../schema/index.ts";

export type Colors = ReturnType<typeof pc.createColors>;

export const colorsFor = (isColored: boolean): Colors => pc.createColors(isColored);

/** Small symbols, and colour by meaning only. */
export const SYMBOL = {
  pending: "○",
  running: "◐",
  waiting: "◌",
  interrupted: "!",
  completed: "✓",
  failed: "✗",
  cancelled: "-",
} as const satisfies Record<TaskStatus, string>;

export function paintStatus(colors: Colors, status: TaskStatus, text: string): string {
  switch (status) {
    case "completed":
      return colors.green(text);
    case "failed":
      return colors.red(text);
    case "interrupted":
    case "waiting":
      return colors.yellow(text);
    case "pending":
    case "running":
    case "cancelled":
      return text;
  }
}
