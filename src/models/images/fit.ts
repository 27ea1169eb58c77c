// The sums behind smaller images: how large one becomes that is to fit into a box, and which part of it is
// shown.

/** Room for an image, in pixels; 0 for a side that may be as long as it likes. */
export interface Box {
  readonly width: number
  readonly height: number
  /**
   * Whether the box is filled: what juts out of its proportions is cut off on both sides alike. Needs both
   * sides.
   */
  readonly crop?: boolean
}

export interface Fit {
  readonly width: number
  readonly height: number
  /** The part that is shown, in pixels of the whole image; null for all of it. */
  readonly cut: {
    readonly x: number
    readonly y: number
    readonly width: number
    readonly height: number
  } | null
}

/**
 * How an image of a size fits into a box: in its proportions and never enlarged. Null where it fits as it is.
 */
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
  return { x: Math.floor((width - w) / 2), y: Math.floor((height - h) / 2), width: w, height: h }
}
