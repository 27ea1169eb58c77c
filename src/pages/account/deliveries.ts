// Deliveries to an endpoint as last read, with older ones on request, and sending again.
import { useEffect, useState } from 'preact/hooks'
import { useAction } from '../shared/action.ts'
import { type Delivery, deliveriesOf, sendAgain } from './webhooks.ts'

/** Rows that are read at a time; milliseconds between two looks while something is under way. */
const [PAGE, LOOK] = [20, 2000]

/** Reads them at once, and again while a delivery is under way. `onSent`: called when one was sent again. */
export function useDeliveries(webhook: number, onSent: () => void) {
  const [rows, setRows] = useState<readonly Delivery[] | null>(null)
  const [isAll, setIsAll] = useState(false)
  const [status, setStatus] = useState('')
  const load = useAction(async () => {
    const deliveries = await deliveriesOf(webhook, null, Math.max(PAGE, rows?.length ?? 0))
    setRows(deliveries)
    setIsAll(deliveries.length < PAGE)
  })
  const more = useAction(async () => {
    const next = await deliveriesOf(webhook, rows?.at(-1)?.id ?? null, PAGE)
    setRows([...(rows ?? []), ...next])
    setIsAll(next.length < PAGE)
  })
  const again = useAction(async ({ id, type }: Delivery) => {
    await sendAgain(id)
    setStatus(`${type} is sent again.`)
    await load.run()
    onSent()
  })
  useEffect(() => void load.run(), [])
  const isOpen = rows?.some(({ state, attempts }) => state === 'waiting' && attempts === 0)
  useEffect(() => {
    if (!isOpen) return
    const timer = setTimeout(() => void load.run(), LOOK)
    return () => clearTimeout(timer)
  }, [rows])
  return { rows, isAll, status, load, more, again }
}
