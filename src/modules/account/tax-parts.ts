// Default parts of new taxes: one base and one whole part on invoices and on refunds; a tax with parts
// on one side gets the same on the other.
type Vals = Record<string, unknown>

const sides = { invoice: 'invoice_repartition_line_ids', refund: 'refund_repartition_line_ids' } as const
type Side = keyof typeof sides

const isVals = (vals: unknown): vals is Vals =>
  typeof vals === 'object' && vals !== null && !Array.isArray(vals)

/** New parts belong to the side they are given on. */
function sided(commands: unknown, side: Side): unknown {
  if (!Array.isArray(commands)) return commands
  return commands.map((command) =>
    Array.isArray(command) && command[0] === 0 && isVals(command[2])
      ? [0, 0, { ...command[2], document_type: side }]
      : command,
  )
}

const whole = (side: Side) =>
  ['base', 'tax'].map((repartition_type) => [0, 0, { repartition_type, document_type: side }])
const isGiven = (commands: unknown) => Array.isArray(commands) && commands.length > 0

/** Adds default parts to the values of a new tax. Invalid values are left for the engine to refuse. */
export function withParts(value: unknown): unknown {
  if (!isVals(value)) return value
  const vals = withMirroredParts(value)
  const { invoice, refund } = sides
  if (vals.repartition_line_ids !== undefined) return vals
  if (!isGiven(vals[invoice]))
    vals[invoice] = isGiven(vals[refund]) ? sided(vals[refund], 'invoice') : whole('invoice')
  if (!isGiven(vals[refund])) vals[refund] = sided(vals[invoice], 'refund')
  return vals
}

/** Values to write: new parts get their side. */
export function withMirroredParts(taxVals: Vals): Vals {
  const vals = { ...taxVals }
  for (const [side, name] of Object.entries(sides))
    if (name in vals) vals[name] = sided(vals[name], side as Side)
  return vals
}
