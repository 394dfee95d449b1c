// How far a fix may be trusted.

/** How far a fix may be trusted, as the server says it with an action. */
export type Grade = "safe" | "unsafe" | "display-only";

/** Return the grade that stands in the data of an action; undefined where there is none. */
export function gradeOf(data: unknown): Grade | undefined {
  if (data === null || typeof data !== "object" || !("safety" in data)) {
    return undefined;
  }
  const { safety } = data;
  return safety === "safe" || safety === "unsafe" || safety === "display-only" ? safety : undefined;
}
