// The attacker's process: runs the attacks it is told of, apart from those who watch, so that making a
// hundred megabytes delays no probe.
import type { World } from './attack.ts'
import { attacks } from './families/index.ts'
import { AttackHands, type Outcome } from './hands.ts'

export interface Order {
  readonly name: string
  readonly size: number
  readonly seed: number
  readonly world: World
}

export type Done = Outcome & { readonly seed: number }

process.on('message', async ({ name, size, seed, world }: Order) => {
  const attack = attacks.find((attack) => attack.name === name)
  const hands = new AttackHands(world, seed)
  try {
    await attack?.run(hands, size)
  } catch (error) {
    hands.complain(`the attack itself failed: ${error}`)
  }
  const done: Done = { ...hands.outcome, seed }
  hands.close()
  // The parent may have ended the run and closed the channel.
  if (process.connected) process.send?.(done)
})
