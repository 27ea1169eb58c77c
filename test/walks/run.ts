// Files and functions that calls enter: `node test/walks/run.ts`; with a number, that many of those
// entered most often.
import { walkCalls } from './calls.ts'

const most = (counts: ReadonlyMap<string, number>, shown: number): string[] =>
  [...counts]
    .sort(([, a], [, b]) => b - a)
    .slice(0, shown)
    .map(([name, count]) => `    ${String(count).padStart(5)} ${name}`)

const shown = Number(process.argv[2] ?? 0)
for (const [name, { entries, files, functions }] of Object.entries(await walkCalls())) {
  console.log(`${name}: ${entries} function entries, ${files.size} files`)
  if (shown) console.log([...most(files, shown), ...most(functions, shown)].join('\n'))
}
