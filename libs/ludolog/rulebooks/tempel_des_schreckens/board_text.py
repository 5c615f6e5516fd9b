"""The table for a plain terminal."""

from ludolog.api.games.tempel_des_schreckens.v1 import tempel_des_schreckens_pb2 as pb


def draw(view: pb.View, width: int) -> str:
    """Draw the table."""
    return f"Round {view.round}, key: {view.key_player}"
