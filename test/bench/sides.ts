// The two sides of the bench, engine and bare handler, measured in turns.
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import type { CapturedCase } from './capture.ts'
import { type BenchCase, benchCases } from './cases.ts'
import { type Load, type Measured, measure, middle } from './measure.ts'
import type { Profiler } from './profile.ts'
import type { Line } from './table.ts'

/** Connections of the measurement that asks how long the slowest wait. */
const CROWD = 64

/** The bare handler in a process of its own; `output` is what it said on standard error. */
export async function startBare(
  database: string,
  statements: string,
  flags: readonly string[] = [],
): Promise<{ url: string; pid: number; output(): string; stop(): void }> {
  const env = { ...process.env, BENCH_DATABASE: database, BENCH_STATEMENTS: statements }
  const bare = spawn(process.execPath, [...flags, join(import.meta.dirname, 'bare.ts')], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  bare.stderr.on('data', (chunk: Buffer) => {
    said += chunk.toString()
    process.stderr.write(chunk)
  })
  const url = await new Promise<string>((done, fail) => {
    bare.stdout.on('data', (chunk: Buffer) => {
      const url = /listening on (\S+)/.exec(chunk.toString())?.[1]
      if (url) done(url)
    })
    bare.on('exit', (code) => fail(new Error(`the bare handler ended with ${code}`)))
  })
  return { url, pid: bare.pid as number, output: () => said, stop: () => bare.kill() }
}

export interface Comparison {
  readonly engine: (bench: BenchCase) => Load
  readonly bare: Load
  readonly captured: readonly CapturedCase[]
  readonly seconds: number
  readonly warmUp: number
  readonly rounds: number
  /** Of the engine's process and the bare handler's. */
  readonly profilers?: readonly [Profiler, Profiler] | undefined
}

/** Both sides of each captured case in turns, so that whatever the machine does meanwhile does it to both. */
export async function compare({
  engine,
  bare,
  captured,
  seconds,
  warmUp,
  rounds,
  profilers,
}: Comparison): Promise<Line[]> {
  const lines: Line[] = []
  for (const { name, path, calls, trips } of captured) {
    const bench = caseNamed(name)
    const other = bench.beside ? caseNamed(bench.beside) : undefined
    const engineLoad = engine(bench)
    const sides = [
      { load: engineLoad, bench, runs: [] as Measured[] },
      other
        ? { load: engine(other), bench: other, runs: [] as Measured[] }
        : { load: bare, bench: { ...bench, path }, runs: [] as Measured[] },
    ] as const
    // Long enough for the compiler to have seen the path; both sides get the same.
    for (const side of sides) await measure(side.load, side.bench, { seconds: warmUp })
    for (let round = 0; round < rounds; round++) {
      for (const side of sides) side.runs.push(await measure(side.load, side.bench, { seconds }))
    }
    const many = (load: Load, what: BenchCase) => () =>
      measure({ ...load, connections: CROWD }, what, { seconds })
    const crowd = await (profilers
      ? profilers[0].during(name, many(engineLoad, bench))
      : many(engineLoad, bench)())
    if (profilers && !other) await profilers[1].during(`${name} bare`, many(bare, sides[1].bench))
    const [ours, theirs] = [middle(sides[0].runs), middle(sides[1].runs)]
    const ratio = ours.rps / theirs.rps
    const beside = bench.beside ?? 'bare'
    lines.push({
      name,
      beside,
      engine: ours,
      bare: theirs,
      crowd,
      ratio,
      least: bench.least,
      statements: calls[0]?.length ?? 0,
      trips,
    })
    console.error(`${name}: ${ours.rps.toFixed(0)} against ${theirs.rps.toFixed(0)}, ${ratio.toFixed(2)}`)
  }
  return lines
}

function caseNamed(name: string): BenchCase {
  const match = benchCases.find((bench) => bench.name === name)
  if (!match) throw new Error(`the bench has no case ${name}`)
  return match
}
