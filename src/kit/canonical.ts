// JSON in one spelling (RFC 8785): members in order, no white space; numbers and texts as JavaScript writes
// them, which is what that RFC prescribes.

/** The text of a value; members that are undefined are left out, as `JSON.stringify` does. */
export function canonical(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`
  if ('toJSON' in value && typeof value.toJSON === 'function') return canonical(value.toJSON())
  // By UTF-16 code units, as `sort` does.
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  members.sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`).join()}}`
}
