// Keeps PostgreSQL running while this process lives: starting it takes longer than copying a database, and a
// test file may want several servers.
import { type Embedded, startEmbedded } from '../postgres/embedded/index.ts'
import { closeOnSignals } from './signals.ts'

const kept = new Map<string, Promise<Embedded>>()

/**
 * Starts the data directory's server, or joins it, until this process ends, however that comes but by
 * SIGKILL. Throws StartupError.
 */
export async function keepRunning(dataDir: string): Promise<void> {
  const running = kept.get(dataDir)
  if (running) return void (await running)
  const starting = startEmbedded({ dataDir, log: () => undefined, durable: false })
  kept.set(dataDir, starting)
  try {
    const embedded = await starting
    const leave = () => embedded.leave()
    const stop = async () => {
      kept.delete(dataDir)
      process.off('exit', leave)
      forget()
      await embedded.stop()
    }
    const forget = closeOnSignals(stop)
    // Nothing else is left to do: it may take its time, and has ended before the process.
    process.once('beforeExit', stop)
    // For process.exit.
    process.once('exit', leave)
  } catch (error) {
    kept.delete(dataDir)
    throw error
  }
}
