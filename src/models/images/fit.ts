// The size of an image that is to fit into a box, and the part of it that is shown.

/** Room for an image, in pixels; a side of 0 has no limit. */
export interface Box {
  readonly width: number
  readonly height: number
  /**
   * Whether the box is filled: what exceeds its proportions is cut off equally on both sides. Needs both
   * sides.
   */
  readonly crop?: boolean
}

interface Fit {
  readonly width: number
  readonly height: number
  /** The part that is shown, in pixels of the whole image; null for all of it. */
  readonly cut: {
    readonly left: number
    readonly top: number
    readonly width: number
    readonly height: number
  } | null
}

/** The size of an image in a box: with its proportions and never enlarged. Null if it fits unchanged. */
export function fitOf(width: number, height: number, box: Box): Fit | null {
  const cut =
    box.crop && box.width > 0 && box.height > 0 ? cutOf(width, height, box.width / box.height) : null
  const [w, h] = cut ? [cut.width, cut.height] : [width, height]
  const scale = Math.min(1, box.width > 0 ? box.width / w : 1, box.height > 0 ? box.height / h : 1)
  if (scale === 1 && !cut) return null
  return { width: Math.max(1, Math.round(w * scale)), height: Math.max(1, Math.round(h * scale)), cut }
}

/** The middle of an image in other proportions; null where it has them. */
function cutOf(width: number, height: number, proportions: number): Fit['cut'] {
  const w = Math.max(1, Math.min(width, Math.round(height * proportions)))
  const h = Math.max(1, Math.min(height, Math.round(width / proportions)))
  if (w === width && h === height) return null
  return { left: Math.floor((width - w) / 2), top: Math.floor((height - h) / 2), width: w, height: h }
}
