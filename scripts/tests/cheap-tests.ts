// Identifies tests of Node.js' runner by an AsyncLocalStorage. The runner itself uses async_hooks,
// which cost a twentieth of a run because they report every promise. Loaded before node:test, which
// takes these three functions from async_hooks when it is loaded; other code gets the originals.
import hooks, { AsyncLocalStorage, AsyncResource, type HookCallbacks } from 'node:async_hooks'

const { createHook, executionAsyncId } = hooks
/** The id of the test in whose turn the code runs. */
const running = new AsyncLocalStorage<number>()
let hear: HookCallbacks['init']

/** A test of the runner: a resource of its own, in whose scope its function runs. */
class TestScope extends AsyncResource {
  constructor(type: string, options?: ConstructorParameters<typeof AsyncResource>[1]) {
    super(type, options)
    hear?.(this.asyncId(), type, this.triggerAsyncId(), this)
  }

  override runInAsyncScope<This, Result>(
    work: (this: This, ...args: unknown[]) => Result,
    self?: This,
    ...args: unknown[]
  ): Result {
    return super.runInAsyncScope(() => running.run(this.asyncId(), () => work.apply(self as This, args)))
  }
}

Object.assign(hooks, {
  AsyncResource: TestScope,
  executionAsyncId: () => running.getStore() ?? 0,
  createHook: (callbacks: HookCallbacks) => {
    hear = callbacks.init
    return { enable: () => undefined, disable: () => undefined }
  },
})
await import('node:test')
Object.assign(hooks, { AsyncResource, createHook, executionAsyncId })
