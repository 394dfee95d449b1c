// How far a fix may be trusted.

/** How far a fix may be trusted, as the server says it with an action. */
export interface Grade {
  safety: "safe" | "unsafe" | "display-only";
  reason: string | null;
}

/** Return the grade that stands in the data of an action; undefined where there is none. */
export function gradeOf(data: unknown): Grade | undefined {
  if (data === null || typeof data !== "object" || !("safety" in data)) {
    return undefined;
  }
  const { safety, reason } = data as Record<string, unknown>;
  const isKnown = safety === "safe" || safety === "unsafe" || safety === "display-only";
  return isKnown ? { safety, reason: typeof reason === "string" ? reason : null } : undefined;
}
