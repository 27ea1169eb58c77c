// Sends scripts/test.ts the outcome of each test over the process's channel, and emits an event for the
// lane at the end of a file.
import { EventEmitter } from 'node:events'
import type { TestEvent } from 'node:test/reporters'
import { inspect } from 'node:util'

/** The result of a test or a suite. Names lead from the file to the test. */
export interface Result {
  readonly kind: 'result'
  readonly nesting: number
  readonly name: string
  readonly isSuite: boolean
  readonly outcome: 'passed' | 'failed' | 'skipped'
  /** Whether it failed by itself, and not because of a test inside of it or a hook around it. */
  readonly isCause: boolean
  readonly milliseconds: number
  /** Why it failed. */
  readonly error?: string
}

/** Emits the name of a file that is over: all its tests and hooks are done. */
export const overs = new EventEmitter()

type Failure = Error & { readonly failureType?: string }
/** Failure types of Node.js that only follow from another failure. */
const ECHOES: readonly string[] = ['subtestsFailed', 'cancelledByParent']

type Outcome = Extract<TestEvent, { type: 'test:pass' | 'test:fail' }>

export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const event of events) {
    if (event.type !== 'test:pass' && event.type !== 'test:fail') continue
    process.send?.(resultOf(event))
    if (event.data.nesting === 0) overs.emit(event.data.name)
  }
  yield ''
}

function resultOf({ type, data }: Outcome): Result {
  const { nesting, name, details } = data
  const failure = type === 'test:fail' ? (data.details.error as Failure) : undefined
  const isSkipped = data.skip !== undefined || data.todo !== undefined
  return {
    kind: 'result',
    nesting,
    name,
    isSuite: details.type === 'suite',
    outcome: isSkipped ? 'skipped' : failure ? 'failed' : 'passed',
    isCause: failure !== undefined && !ECHOES.includes(failure.failureType ?? ''),
    milliseconds: details.duration_ms,
    ...(failure && { error: inspect(failure.cause ?? failure) }),
  }
}
