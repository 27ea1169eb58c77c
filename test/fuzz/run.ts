// `npm run fuzz -- --domains 100000 --orders 20000 --groups 20000 --calls 10000 --seed 1`: runs the fuzzer; a
// difference is printed and kept as a regression, one between calls only printed. With only some of the
// numbers, only these are asked.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { fuzz } from './fuzz.ts'
import { fuzzCalls } from './remembered.ts'
import { fuzzWindows } from './windows.ts'

const { values } = parseArgs({
  options: {
    domains: { type: 'string' },
    orders: { type: 'string' },
    groups: { type: 'string' },
    calls: { type: 'string' },
    seed: { type: 'string', default: '1' },
    shapes: { type: 'string', default: '8' },
  },
})
const [seed, shapes] = [Number(values.seed), Number(values.shapes)]
const named = values.domains ?? values.orders ?? values.groups ?? values.calls
const wanted = (value: string | undefined, otherwise: number): number =>
  Number(value ?? (named === undefined ? otherwise : 0))

/** Keeps and prints a difference, or says that there was none. */
function report(
  kind: string,
  {
    asked: count,
    finding,
    difference,
  }: { readonly asked: number; readonly finding: object | null; readonly difference: unknown },
): void {
  if (!finding) {
    console.log(`${count} ${kind}, seed ${seed}: no difference`)
    return
  }
  const file = join(
    import.meta.dirname,
    'regressions',
    `${kind === 'domains' ? '' : `${kind}-`}seed-${seed}-${count}.json`,
  )
  writeFileSync(file, `${JSON.stringify({ note: 'What was wrong: say it here.', ...finding }, null, 2)}\n`)
  console.error(JSON.stringify({ ...finding, shape: undefined }))
  console.error(JSON.stringify(difference))
  console.error(`The readers differ (seed ${seed}, after ${count} ${kind}). Kept as ${file}.`)
  process.exitCode = 1
}

/** Says how far it is, about twenty times. */
function progressOf(kind: string, count: number): (done: number) => void {
  let next = 0
  return (done) => {
    if (done < next) return
    console.log(`${done} ${kind}`)
    next = done + Math.max(1000, count / 20)
  }
}

const domains = wanted(values.domains, 10_000)
if (domains)
  report('domains', await fuzz({ domains, seed, shapes, progress: progressOf('domains', domains) }))
for (const kind of ['orders', 'groups'] as const) {
  const count = wanted(values[kind], 2000)
  if (count) report(kind, await fuzzWindows(kind, count, { seed, shapes, progress: progressOf(kind, count) }))
}

const calls = wanted(values.calls, 500)
if (calls) {
  const {
    asked: count,
    answered,
    finding,
    difference,
  } = await fuzzCalls({
    calls,
    seed,
    progress: progressOf('calls', calls),
  })
  console.log(
    `${count} calls, ${answered} of them answered, seed ${seed}: ${finding ? 'a difference' : 'no difference'}`,
  )
  if (finding) {
    console.error(`${JSON.stringify(finding)}\n${difference}`)
    process.exitCode = 1
  }
}
