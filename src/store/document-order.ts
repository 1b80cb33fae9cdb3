/**
 * The order of documents, as terms of `ORDER BY`: latest update first, then by id. SQLite compares text by its UTF-8
 * bytes, which is code-point order. A document's number is its position in this order.
 */
export const DOCUMENT_ORDER = 'updated_at DESC, id';
