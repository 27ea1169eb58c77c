// Shows a progress bar on a terminal (standard error) for work that takes more than a second. Elsewhere, as
// in scripts and scheduled jobs, there is no output: exit code and answer suffice. A server that starts
// prints plain lines there.
import { styleText } from 'node:util'

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'] as const

/** Milliseconds after which progress is shown. */
const SOON = 1000

/** Reports the current step, and the part of the whole that is done, from 0 to 1. */
export type Progress = (step: string, done?: number) => void

interface Line {
  readonly show: Progress
  readonly end: (text: string) => void
}

/** Runs `work` under a title, with a function to report its steps. */
export async function withProgress<T>(
  title: string,
  work: (progress: Progress) => Promise<T>,
  output: NodeJS.WriteStream = process.stderr,
): Promise<T> {
  const started = performance.now()
  const line = output.isTTY ? moving(title, output) : quiet
  let latest: Parameters<Progress> = ['']
  let shown = false
  const timer = setTimeout(() => {
    shown = true
    line.show(...latest)
  }, SOON)
  const end = (text: string) => {
    clearTimeout(timer)
    if (shown) line.end(`${title}: ${text}`)
  }
  try {
    const result = await work((step, done) => {
      latest = [step, done]
      if (shown) line.show(step, done)
    })
    end(`done in ${((performance.now() - started) / 1000).toFixed(1)} s`)
    return result
  } catch (error) {
    end('failed')
    throw error
  }
}

/**
 * Milliseconds between two lines about running work: less than two seconds, after which a reader becomes
 * impatient.
 */
const LINE_EVERY = 1900

/** Runs `work` and writes a line when it begins, when it ends, and about every two seconds with its step. */
export async function withLines<T>(
  title: string,
  work: (progress: Progress) => Promise<T>,
  output: Pick<NodeJS.WriteStream, 'write'> = process.stderr,
): Promise<T> {
  const started = performance.now()
  const seconds = () => ((performance.now() - started) / 1000).toFixed(1)
  let latest = ': starting'
  output.write(`${title}\n`)
  const timer = setInterval(() => output.write(`  ${seconds()} s${latest}\n`), LINE_EVERY)
  try {
    const result = await work((step, done) => {
      latest = `${done === undefined ? '' : `, ${Math.floor(done * 100)} %`}: ${step}`
    })
    output.write(`  done in ${seconds()} s\n`)
    return result
  } finally {
    clearInterval(timer)
  }
}

const WIDTH = 20

/** A progress bar with the share in percent; empty if the share is not known. */
export function bar(done: number | undefined): string {
  if (done === undefined) return ''
  const filled = Math.round(Math.min(1, Math.max(0, done)) * WIDTH)
  return `${'█'.repeat(filled)}${'░'.repeat(WIDTH - filled)} ${String(Math.floor(done * 100)).padStart(3)} % `
}

const quiet: Line = { show: () => undefined, end: () => undefined }

/** One line that is written over and over. */
function moving(title: string, output: NodeJS.WriteStream): Line {
  let frame = 0
  let words = ''
  const draw = () => {
    frame = (frame + 1) % FRAMES.length
    const shown = words.slice(0, Math.max(0, output.columns - title.length - 4))
    output.write(`\r\x1b[2K${FRAMES[frame]} ${title} ${styleText('dim', shown, { stream: output })}`)
  }
  let timer: NodeJS.Timeout | undefined
  return {
    show(step, done) {
      words = `${bar(done)}${step}`
      timer ??= setInterval(draw, 100)
      draw()
    },
    end(text) {
      clearInterval(timer)
      output.write(`\r\x1b[2K${text}\n`)
    },
  }
}
