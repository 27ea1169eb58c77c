// Runs a command of the command line in this process: starting one takes a second of a processor.
import { run } from '../../src/cli/run.ts'

export interface Done {
  readonly code: number
  readonly out: string
  readonly err: string
}

/** The output of the command is kept apart from that of the test; one command at a time. */
export async function runHere(...args: string[]): Promise<Done> {
  const printed = { out: '', err: '' }
  const streams = [
    [process.stdout, 'out'],
    [process.stderr, 'err'],
  ] as const
  const writes = { out: process.stdout.write, err: process.stderr.write }
  // Settings of the tests are none of the command's.
  const settings = Object.entries(process.env).filter(([name]) => name.startsWith('COMPTOIR_'))
  for (const [name] of settings) delete process.env[name]
  for (const [stream, name] of streams)
    stream.write = ((chunk: string | Uint8Array, ...more: never[]) => {
      // Commands print texts; bytes are messages of the test runner to its parent.
      if (typeof chunk !== 'string') return writes[name].call(stream, chunk, ...more)
      printed[name] += chunk
      return true
    }) as typeof stream.write
  try {
    return { code: await run(args), ...printed }
  } finally {
    Object.assign(process.env, Object.fromEntries(settings))
    for (const [stream, name] of streams) stream.write = writes[name]
  }
}
