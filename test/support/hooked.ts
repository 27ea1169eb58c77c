// A server whose webhooks may go to this machine, and who receives them.
import { modules } from '../../src/main.ts'
import { type Nodes, openNodes } from './nodes.ts'
import { openReceiver, type Receiver } from './receiver.ts'

export interface Hooked {
  readonly nodes: Nodes
  readonly hook: Receiver
  readonly close: () => Promise<void>
}

export const base = modules.filter(({ name }) => name === 'base')
export const hookedOptions = { webhookAllow: ['127.0.0.0/8'], webhookHttp: true }

export async function openHooked(): Promise<Hooked> {
  const nodes = await openNodes({ known: base, ...hookedOptions })
  const hook = await openReceiver()
  return {
    nodes,
    hook,
    close: async () => {
      await nodes.close()
      await hook.close()
    },
  }
}
