// What of the settings is for the server: those that are set, and not those of the extension itself.

/** The settings that the extension reads itself. */
export const OWN = ["path", "interpreter", "trace"];

/** Return the settings that are sent to the server: it takes what is not set from pyproject.toml. */
export function forServer(section: unknown): Record<string, unknown> {
  if (section === null || typeof section !== "object") {
    return {};
  }
  const given = Object.entries(section as Record<string, unknown>);
  return Object.fromEntries(given.filter(([key, value]) => !OWN.includes(key) && isSet(value)));
}

function isSet(value: unknown): boolean {
  return value !== null && value !== undefined && value !== "";
}
