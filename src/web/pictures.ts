/** Prepares a picture for print before it is sent: the limits of a logo are those of core's print/picture.ts. */

/** The largest file, in bytes. */
const MAX_BYTES = 512 * 1024;
/** The longest side, and the most pixels of a PNG. */
const MAX_SIDE = 4_000;
const MAX_PIXELS = 1_000_000;

/** Why a file cannot be a logo. */
export type PictureProblem = "no_picture" | "too_large";

/** A picture ready to send, in Base64, and its size if it was reduced. */
export interface FitPicture {
  readonly base64: string;
  readonly shrunk: { readonly width: number; readonly height: number } | undefined;
}

/**
 * A file as a logo: unchanged if it fits, else redrawn as a PNG of at most a million pixels. Any format that the
 * browser shows will do.
 */
export async function fitPicture(file: Blob): Promise<FitPicture | PictureProblem> {
  const bitmap = await createImageBitmap(file).catch(() => undefined);
  if (!bitmap) return "no_picture";
  const { width, height } = bitmap;
  const isPrintable = ["image/png", "image/jpeg"].includes(file.type) && file.size <= MAX_BYTES;
  const most = file.type === "image/png" ? MAX_PIXELS : MAX_SIDE * MAX_SIDE;
  const fits = isPrintable && Math.max(width, height) <= MAX_SIDE && width * height <= most;
  if (fits) return { base64: await base64Of(file), shrunk: undefined };
  for (const pixels of [MAX_PIXELS, MAX_PIXELS / 4, MAX_PIXELS / 16]) {
    const scale = Math.min(1, Math.sqrt(pixels / (width * height)), MAX_SIDE / Math.max(width, height));
    const size = { width: Math.max(1, Math.floor(width * scale)), height: Math.max(1, Math.floor(height * scale)) };
    const redrawn = await redraw(bitmap, size);
    if (redrawn && redrawn.size <= MAX_BYTES) return { base64: await base64Of(redrawn), shrunk: size };
  }
  return "too_large";
}

function redraw(bitmap: ImageBitmap, { width, height }: { width: number; height: number }): Promise<Blob | null> {
  const canvas = document.createElement("canvas");
  canvas.width = width;
  canvas.height = height;
  const context = canvas.getContext("2d");
  if (!context) return Promise.resolve(null);
  context.imageSmoothingQuality = "high";
  context.drawImage(bitmap, 0, 0, width, height);
  return new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
}

function base64Of(blob: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,/, ""));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(blob);
  });
}
